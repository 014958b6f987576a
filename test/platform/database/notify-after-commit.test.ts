import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { listenForNotifications, type Notifications } from '../../../src/platform/database/listen.ts';
import { notifyAfterCommit } from '../../../src/platform/database/notify-after-commit.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';

const log = createLog('silent');
const SOURCES = join(import.meta.dirname, '../../../src');
let database: TestDatabase;
let notifications: Notifications;
let heard: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.address, { log });
  notifications.on('campanile_results', (payload) => heard.push(payload));
  await until(
    () => heard,
    (all) => all.includes(''),
  );
});
afterAll(async () => {
  await notifications.close();
  await database.drop();
});
beforeEach(() => {
  heard = [];
});

/** Notifications arrive in order, so that all earlier ones have arrived before this one. */
async function hearAll(): Promise<string[]> {
  await notifyAfterCommit(database.db, 'campanile_results', 'last');
  await expect.poll(() => heard).toContain('last');
  return heard.filter((payload) => payload !== 'last');
}

test('notifies after the commit, and not before', async () => {
  await database.db.transaction().execute(async (trx) => {
    await notifyAfterCommit(trx, 'campanile_results', '1');
    await sleep(100);
    expect(heard).toEqual([]);
  });
  await expect.poll(() => heard).toEqual(['1']);
});

test('drops the notification of a rolled-back transaction', async () => {
  const undone = database.db.transaction().execute(async (trx) => {
    await notifyAfterCommit(trx, 'campanile_results', '2');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await database.db.transaction().execute((trx) => notifyAfterCommit(trx, 'campanile_results', '3'));
  expect(await hearAll()).toEqual(['3']);
});

test('coalesces notifications, and sends equal ones once', async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      database.db.transaction().execute(async (trx) => {
        await notifyAfterCommit(trx, 'campanile_results', `many ${n % 4}`);
      }),
    ),
  );
  const all = await hearAll();
  expect([...new Set(all)].toSorted()).toEqual(['many 0', 'many 1', 'many 2', 'many 3']);
  expect(all.length).toBeLessThan(40);
});

test('sends pending notifications before the pool closes', async () => {
  const db = connectDatabase(database.address, { log, poolSize: 1 });
  await notifyAfterCommit(db, 'campanile_results', 'first');
  await db.transaction().execute((trx) => notifyAfterCommit(trx, 'campanile_results', 'on leaving'));
  await db.destroy();
  await expect.poll(() => heard).toEqual(['first', 'on leaving']);
});

test('is the only code that notifies', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|sql)$/.test(path));
  const notifying = files.filter((path) => /pg_notify\(|^\s*notify /m.test(readFileSync(join(SOURCES, path), 'utf8')));
  expect(notifying).toEqual(['platform/database/notify-after-commit.ts']);
});
