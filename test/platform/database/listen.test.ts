import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenForNotifications } from '../../../src/platform/database/listen.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const log = createLog('silent');
const SOON = { timeout: 10_000 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('delivers notifications, and one empty notification after a reconnect for all missed ones', async () => {
  const heard: string[] = [];
  const notifications = listenForNotifications(database.address, { log });
  notifications.on('campanile_lanes', (payload) => heard.push(payload));
  await expect.poll(() => heard, SOON).toEqual(['']);
  await sql`notify campanile_lanes, '7'`.execute(database.db);
  await expect.poll(() => heard, SOON).toEqual(['', '7']);

  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'campanile hints'`.execute(database.db);
  await expect.poll(() => heard, SOON).toEqual(['', '7', '']);
  await sql`notify campanile_lanes, '8'`.execute(database.db);
  await expect.poll(() => heard, SOON).toEqual(['', '7', '', '8']);
  await notifications.close();
});

test('closes while it connects, and without a server', async () => {
  await listenForNotifications(database.address, { log }).close();
  await listenForNotifications({ url: 'postgres://127.0.0.1:1/nothing' }, { log }).close();
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'campanile hints'`.execute(database.db);
  expect(rows).toEqual([]);
});
