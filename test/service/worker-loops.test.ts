import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, sql } from '../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { getCampaign } from '../../src/sending/campaigns/read/get-campaign.ts';
import { useTestDatabase } from '../support/database.ts';
import { analyticsWhen, createOwner, schedule, sendNow, startTestWorker, until } from '../support/ledger.ts';
import { scriptMessenger } from '../support/scripted-messenger.ts';

const database = await useTestDatabase();

const root = join(import.meta.dirname, '../..');
/**
 * The names of all loops of a worker. Other processes run the loops of the API, the epoch, mails, notices, webhooks, backups and the
 * published health; messengers have loops of their own.
 */
const LOOPS = globSync('src/**/*.ts', { cwd: root })
  .filter(
    (path) =>
      !/^src\/(api|messengers|notifications|operations\/(backup|publish-health)|platform\/(database|mail))\b/.test(
        path,
      ),
  )
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .flatMap((source) =>
    [
      ...source.matchAll(
        /\b(?:startLoop|repeat)\(\s*'([^']+)'|\b(?:startPolledLoop|servePolled<[^>]+>)\(\w+, \{\s*name: '([^']+)'/g,
      ),
    ].map(([, name, polled]) => name ?? polled ?? ''),
  );

const rename = (tables: string[], from: string, to: string) =>
  Promise.all(
    tables.map((table) => execute(database.db)`alter table ${sql.id(table + from)} rename to ${sql.id(table + to)}`),
  );
const takeAway = (...tables: string[]) => rename(tables, '', '_gone');
const bringBack = (...tables: string[]) => rename(tables, '_gone', '');

test('reports every failing loop of a worker, which retries until it succeeds', async () => {
  const failing = new Set<string>();
  const [forStart, later] = [
    ['runs', 'campaigns', 'account_commands', 'users', 'idempotency_keys', 'media', 'approvals', 'review_answers'],
    ['lanes', 'shards', 'revisions', 'quarantine'],
  ];
  const owner = await createOwner(database.db, 3);
  await database.clock.set('2031-03-01T00:00:00Z');
  const day = { startDate: '2031-03-03', endDate: '2031-03-03', time: '09:00:00' };
  const stalled = await sendNow(database.db, owner);
  await database.clock.set('2031-03-02T23:00:00Z');
  const due = await schedule(database.db, owner, day);
  await database.clock.set('2031-03-03T10:00:00Z');
  await takeAway(...forStart);
  const window = { groupMs: 60_000, channelMs: 60_000 };
  const worker = await startTestWorker(
    database,
    { ...scriptMessenger(), staysOpen: true, changeWindows: { recall: window, correct: window } },
    { onLoopError: (loop) => failing.add(loop) },
  );
  await takeAway(...later);
  expect(LOOPS.length).toBeGreaterThan(6);
  await until(
    () => [...failing].toSorted(),
    (names) => names.length >= LOOPS.length,
  );
  expect([...failing].toSorted()).toEqual(LOOPS.toSorted());
  await bringBack(...forStart, ...later);
  await analyticsWhen(database.db, owner, due, ({ totals }) => totals.sent === 3);
  await until(
    () => getCampaign(database, owner, stalled),
    ({ finishedAt }) => finishedAt !== null,
  );
  await worker.stop();
});
