/** The order of revisions when the pace does not allow all of them within WhatsApp's window. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { claimRevisions } from '../../../src/sending/deliveries/claim-revisions.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { WHATSAPP_WINDOWS } from '../../../src/messengers/windows.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  convert,
  createOwner,
  groupNumber,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

const GROUPS = 60;
/** As an account on WhatsApp has it, more or less. */
const GAP_MS = 4_000;

let messenger: ScriptedMessenger;
let worker: Worker | undefined;
const database = await useTestDatabase();
beforeEach(() => {
  messenger = { ...scriptMessenger(), changeWindows: WHATSAPP_WINDOWS };
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

/** Sets the pace of WhatsApp from now on. Earlier posts took no time. */
async function slowDown(): Promise<void> {
  await worker?.stop();
  worker = await startTestWorker(database, messenger, { gap: { minMs: GAP_MS, maxMs: GAP_MS } });
}

/** Moves the clock on to the end of the gap that the account waits for, if it does. */
async function skipGap(owner: Owner): Promise<void> {
  await execute(database.db)`
    update test_clock set shift = shift + (l.next_send_at - campanile_now()) from lanes l
    where l.account_id = ${owner.accountId} and l.in_hand_run_id is null and l.next_send_at > campanile_now()
    returning pg_notify('campanile_lanes', '')`;
}

/** A campaign to 60 groups at nine on each of five days, of which the last has just been sent. */
async function fiveDays(owner: Owner): Promise<string> {
  worker = await startTestWorker(database, messenger);
  await database.clock.set('2031-06-01T08:00:00Z');
  const campaign = await schedule(database.db, owner, {
    startDate: '2031-06-01',
    endDate: '2031-06-05',
    time: '09:00:00',
    timeZone: 'UTC',
  });
  for (const [days, day] of ['01', '02', '03', '04', '05'].entries()) {
    await database.clock.set(`2031-06-${day}T09:00:00Z`);
    await analyticsWhen(database.db, owner, campaign, (found) => found.totals.sent === GROUPS * (days + 1));
  }
  return campaign;
}

test('corrects today’s posts of a daily campaign, and reports those of earlier days as too late at once', async () => {
  const owner = await createOwner(database.db, GROUPS);
  const campaign = await fiveDays(owner);
  await slowDown();
  await correctCampaign({ db: database.db, convert }, owner, { campaignId: campaign, runId: null, html: 'two' });
  const { totals } = await until(
    async () => {
      await skipGap(owner);
      return analyticsOf(database.db, owner, campaign);
    },
    (found) => found.totals.corrected === GROUPS && found.groups.every((group) => group.lastError !== null),
  );
  // Four seconds each: the posts of the other days would have taken 16 minutes, and the window is 15.
  expect(totals).toMatchObject({ sent: GROUPS * 5, corrected: GROUPS });
  expect(messenger.changes).toHaveLength(GROUPS);
});

test('reports late revisions without waiting for a gap', async () => {
  const owner = await createOwner(database.db, GROUPS);
  worker = await startTestWorker(database, messenger);
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  await slowDown();
  await database.clock.advance({ hours: 61 });
  const startedMs = performance.now();
  await recallCampaign({ db: database.db }, owner, { campaignId: campaign, runId: null });
  const { groups } = await analyticsWhen(database.db, owner, campaign, (found) =>
    found.groups.every((group) => group.lastError !== null),
  );
  expect(groups[0]?.lastError).toMatch(/^Too late: .*60 hours/);
  // Before, sixty gaps of four seconds.
  expect(performance.now() - startedMs).toBeLessThan(120_000);
});

test('recalls the newer of two campaigns first, whichever was requested first', async () => {
  const owner = await createOwner(database.db, 3);
  worker = await startTestWorker(database, messenger);
  const campaigns: string[] = [];
  for (const text of ['older', 'newer']) {
    const campaign = await sendNow(database.db, owner, owner.groupIds, text);
    await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
    campaigns.push(campaign);
    await database.clock.advance({ minutes: 1 });
  }
  const textOf = new Map(messenger.arrivals.map(({ messageId, text, chatId }) => [messageId, { text, chatId }]));
  await worker.stop();
  for (const campaignId of campaigns) await recallCampaign({ db: database.db }, owner, { campaignId, runId: null });
  worker = await startTestWorker(database, messenger, { gap: { minMs: 5, maxMs: 5 } });
  await analyticsWhen(database.db, owner, campaigns[0] ?? '', (found) => found.totals.recalled === 3);
  const order = messenger.changes.map(({ messageId }) => textOf.get(messageId));
  expect(order.map((post) => post?.text)).toEqual(['newer', 'newer', 'newer', 'older', 'older', 'older']);
  expect(new Set(order.slice(0, 3).map((post) => groupNumber(post?.chatId ?? '')))).toEqual(new Set([1, 2, 3]));
});

test('corrects a post in a channel for longer than in a group', async () => {
  const owner = await createOwner(database.db, 2);
  await execute(database.db)`update groups set kind = 'channel' where group_id = ${owner.groupIds[0]}`;
  worker = await startTestWorker(database, messenger);
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
  await database.clock.advance({ days: 20 });
  await correctCampaign({ db: database.db, convert }, owner, { campaignId: campaign, runId: null, html: 'two' });
  const { groups } = await analyticsWhen(
    database.db,
    owner,
    campaign,
    (found) => found.totals.corrected === 1 && found.groups.some((group) => group.lastError !== null),
  );
  expect(groups.map(({ kind, corrected, lastError }) => [kind, corrected, lastError === null])).toEqual([
    ['channel', 1, true],
    ['group', 0, false],
  ]);
});

test.each([
  ['revisions', 'before statistics are collected', sql`select`],
  ['revisions', 'after statistics were collected', sql`analyze`],
  ['pins', 'before statistics are collected', sql`select`],
  ['pins', 'after statistics were collected', sql`analyze`],
])('finds the newest of many %s without reading the others, %s', async (table, _when, prepare) => {
  // A single session in a database of its own: others report what they have read only some time later.
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  const one = connectDatabase(own.address, { log: createLog('error'), poolSize: 1 });
  onTestFinished(() => one.destroy());
  const owner = await createOwner(one, 1);
  const [columns, values] =
    table === 'pins'
      ? [sql`seconds, group_id, wanted`, sql`86400, ${owner.groupIds[0]}::bigint, 'pin'`]
      : [sql`is_channel, wanted`, sql`false, 'recall'`];
  // Without their runs.
  await execute(one)`set session_replication_role = replica`;
  await execute(one)`
    insert into ${sql.table(table)} (workspace_id, account_id, run_id, position, number, sent_at, ${columns})
    select ${owner.workspaceId}::bigint, ${owner.accountId}::bigint, run, position, run, campanile_now() - run * interval '1 minute', ${values}
    from generate_series(1, 20) run, generate_series(1, 500) position`;
  await execute(one)`update shards set worker_id = 999`;
  await prepare.execute(one);
  const readsSoFar = async () => {
    await execute(one)`select pg_stat_force_next_flush()`;
    const rows = await readRows<{ reads: number }>(one)`
      select (seq_tup_read + idx_tup_fetch)::float8 as reads from pg_stat_user_tables where relname = ${table}`;
    return rows[0]?.reads ?? Number.NaN;
  };
  const before = await readsSoFar();
  const { turns } = await claimRevisions(one, [owner.accountId], { workerId: 999, batch: 500, paced: ['sandbox'] });
  expect(turns.map(({ runId, posts }) => [runId, posts.length])).toEqual([[1, 1]]);
  expect((await readsSoFar()) - before).toBeLessThan(10);
});
