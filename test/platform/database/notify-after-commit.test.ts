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

/** Hints arrive in the order they were sent in, so that none comes after this one that was sent before it. */
async function hearAll(): Promise<string[]> {
  await notifyAfterCommit(database.db, 'campanile_results', 'last');
  await expect.poll(() => heard).toContain('last');
  return heard.filter((payload) => payload !== 'last');
}

test('a hint is told after the commit, and not before', async () => {
  await database.db.transaction().execute(async (trx) => {
    await notifyAfterCommit(trx, 'campanile_results', '1');
    await sleep(100);
    expect(heard).toEqual([]);
  });
  await expect.poll(() => heard).toEqual(['1']);
});

test('a hint about what was rolled back is not told, and does not cling to its connection', async () => {
  const undone = database.db.transaction().execute(async (trx) => {
    await notifyAfterCommit(trx, 'campanile_results', '2');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await database.db.transaction().execute((trx) => notifyAfterCommit(trx, 'campanile_results', '3'));
  expect(await hearAll()).toEqual(['3']);
});

test('what comes together goes together, and the same only once', async () => {
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

test('whoever closes its pool right after a commit has told its hints', async () => {
  const db = connectDatabase(database.address, { log, poolSize: 1 });
  await notifyAfterCommit(db, 'campanile_results', 'first');
  await db.transaction().execute((trx) => notifyAfterCommit(trx, 'campanile_results', 'on leaving'));
  await db.destroy();
  await expect.poll(() => heard).toEqual(['first', 'on leaving']);
});

test('nothing else notifies', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|sql)$/.test(path));
  const notifying = files.filter((path) => /pg_notify\(|^\s*notify /m.test(readFileSync(join(SOURCES, path), 'utf8')));
  expect(notifying).toEqual(['platform/database/notify-after-commit.ts']);
});
