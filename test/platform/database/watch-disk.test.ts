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

test('answers 503 below the free-space floor, and never without a folder of its own', async () => {
  const folder = tmpdir();
  await watchDisk({ folder, floorBytes: 0 }).assertDiskSpace();
  await watchDisk({ floorBytes: Number.MAX_SAFE_INTEGER }).assertDiskSpace();
  const low = watchDisk({ folder, floorBytes: Number.MAX_SAFE_INTEGER }).assertDiskSpace();
  await expect(low).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 60 });
});

test('detects a full disk by a failed statement, and free space by a write', async () => {
  const disk = watchDisk();
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, onError: disk.recordError });
  await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division by zero');
  expect(disk.isFull()).toBe(false);
  const fail = sql`do $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$`;
  await expect(fail.execute(db)).rejects.toMatchObject({ code: '53100' });
  expect(disk.isFull()).toBe(true);
  await disk.check(db);
  expect(disk.isFull()).toBe(false);
  // Any number of processes may check at the same time, and leave nothing behind.
  disk.reportDiskFull();
  await Promise.all([disk.check(db), disk.check(database.db), disk.check(database.db)]);
  expect((await sql`select from pg_class where relname = 'campanile_room'`.execute(db)).rows).toEqual([]);
  await db.destroy();
});
