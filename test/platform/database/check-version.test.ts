import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkVersion, checkServerVersion } from '../../../src/platform/database/check-version.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const said: string[] = [];
const log = pino(new Writable({ write: (line: Buffer, _encoding, done) => (said.push(line.toString()), done()) }));

test('rejects a server that is too old, with a remedy', () => {
  for (const number of [90_624, 140_018])
    expect(() => checkServerVersion(number, log)).toThrow(
      /^The database is a PostgreSQL (9|14), and Campanile needs 15 to 18: upgrade/,
    );
  expect(() => checkServerVersion(140_018, log)).toThrow(StartupError);
});

test('accepts a tested version silently, and a newer one with a warning', async () => {
  for (const number of [150_000, 160_014, 170_010, 180_004]) checkServerVersion(number, log);
  await checkVersion(database.db, log);
  expect(said).toEqual([]);
  checkServerVersion(190_000, log);
  expect(said.join()).toContain('The database is a PostgreSQL 19, and this Campanile was tried on 15 to 18 only');
});
