import { afterAll, beforeAll, expect, test } from 'vitest';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { watchDisk } from '../../../src/platform/database/watch-disk.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('what takes room is put off while less than the floor is free, and nothing is where the disk is not ours', async () => {
  const folder = tmpdir();
  await watchDisk({ folder, floorBytes: 0 }).assertDiskSpace();
  await watchDisk({ floorBytes: Number.MAX_SAFE_INTEGER }).assertDiskSpace();
  const low = watchDisk({ folder, floorBytes: Number.MAX_SAFE_INTEGER }).assertDiskSpace();
  await expect(low).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 60 });
});

test('a statement that fails of a full disk is noticed, and that there is room again by writing', async () => {
  const disk = watchDisk();
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, onError: disk.recordError });
  await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division by zero');
  expect(disk.isFull()).toBe(false);
  const fail = sql`do $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$`;
  await expect(fail.execute(db)).rejects.toMatchObject({ code: '53100' });
  expect(disk.isFull()).toBe(true);
  await disk.check(db);
  expect(disk.isFull()).toBe(false);
  // Any number of processes may look at the same time, and nothing is left of it.
  disk.reportDiskFull();
  await Promise.all([disk.check(db), disk.check(database.db), disk.check(database.db)]);
  expect((await sql`select from pg_class where relname = 'campanile_room'`.execute(db)).rows).toEqual([]);
  await db.destroy();
});
