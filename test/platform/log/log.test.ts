import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { expect, test } from 'vitest';
import { FORM, READABLE } from '../../../src/platform/log/log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { sql } from 'kysely';

function record() {
  const stream = new PassThrough();
  return {
    log: pino(FORM, stream),
    line: () => JSON.parse(String(stream.read())) as Record<string, unknown> & { err: Record<string, unknown> },
  };
}

test('writes the level as a word, and the time in ISO 8601', () => {
  const { log, line } = record();
  log.warn('careful');
  expect(line()).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    msg: 'careful',
  });
});

test('writes a database error by its message and code, without a stack', async () => {
  const database = await createTestDatabase();
  const { log, line } = record();
  const error = await sql`select * from nowhere`.execute(database.db).catch((found: unknown) => found);
  await database.drop();
  log.error({ err: error }, 'x');
  const { err } = line();
  expect(err).toMatchObject({ code: '42P01', message: 'relation "nowhere" does not exist' });
  expect(JSON.stringify(err).length).toBeLessThan(300);
  expect(err).not.toHaveProperty('stack');
});

test('writes a refused connection without a stack, and a defect with its stack', () => {
  const { log, line } = record();
  log.error({ err: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }) });
  expect(line().err).toEqual({
    type: 'Error',
    message: 'connect ECONNREFUSED',
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
  log.error({ err: new TypeError('x is not a function') });
  expect(line().err).toMatchObject({ type: 'TypeError', stack: expect.stringContaining('log.test.ts') });
});

test('writes one line with the date on a terminal', () => {
  const written = new PassThrough();
  const log = pino(FORM, pretty({ ...READABLE, colorize: false, destination: written }));
  log.info({ ms: 3, deep: { a: 1 } }, 'PostgreSQL is ready');
  expect(String(written.read())).toMatch(
    /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] INFO: PostgreSQL is ready \{"ms":3,"deep":\{"a":1\}\}\n$/,
  );
});
