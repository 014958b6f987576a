/** Recalls, corrections and cancels of more deliveries than one transaction should touch. The tests count rows, not time. */
import { execute, readColumn, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processBulkRequests } from '../../../src/sending/campaigns/change/process-bulk-requests.ts';
import { cancelCampaign, pauseCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, convert, createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
// One connection, whose statistics count its reads and writes.
const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
const turns = await takeTurnsByHand(db);
beforeEach(() => database.clock.set('2031-03-01T00:00:00Z'));
afterEach(async () => {
  for (const table of ['deliveries', 'revisions']) await execute(db)`delete from ${sql.table(table)}`;
});
afterAll(() => db.destroy());

const GROUPS = 3_000;
const RUNS = 12;
/** The most rows of deliveries and revisions that a request may read and write. */
const MOST_ROWS = 20_000;
const SENT: Outcome = { kind: 'sent', recipients: 2 };

async function rowsSoFar(): Promise<number> {
  await execute(db)`select pg_stat_force_next_flush()`;
  const rows = await readRows<{ rows: number }>(db)`
    select sum(n_tup_ins + n_tup_upd + n_tup_del + seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_user_tables
    where relname in ('deliveries', 'revisions')`;
  return rows[0]?.rows ?? Number.NaN;
}

async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsSoFar();
  await work();
  return (await rowsSoFar()) - before;
}

/** A scheduled campaign to many groups with many sent runs, inserted directly. */
async function sendMuch(status: 'sent' | 'queued' = 'sent', many = RUNS): Promise<{ owner: Owner; campaign: string }> {
  const owner = await createOwner(db, GROUPS);
  const campaign = await schedule(db, owner, { startDate: '2031-03-02', endDate: '2031-03-31', time: '09:00:00' });
  const isSent = status === 'sent';
  await execute(db)`
    with begun as (
      update runs r set status = ${isSent ? 'completed' : 'running'}::run_status, content_id = c.content_id, targets = ${GROUPS}::int,
             expanded = ${GROUPS}::int, sent = ${isSent ? GROUPS : 0}::int, queued = ${isSent ? 0 : GROUPS}::int,
             next_position = ${isSent ? GROUPS + 1 : 1}::int, started_at = r.due_at, progress_at = r.due_at,
             finished_at = case when ${isSent}::boolean then r.due_at end
      from campaigns c where c.campaign_id = r.campaign_id and r.workspace_id = ${owner.workspaceId} and r.run_id in (
        select run_id from runs where workspace_id = ${owner.workspaceId} order by due_at limit ${many})
      returning r.workspace_id, r.run_id, r.due_at
    )
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id, status, sent_at, attempts)
    select b.workspace_id, ${owner.accountId}, b.run_id, n, (${owner.groupIds}::bigint[])[n], b.run_id || '-' || n, ${status}::delivery_status,
           case when ${isSent}::boolean then b.due_at end, 1
    from begun b, generate_series(1, ${GROUPS}::int) n`;
  await execute(db)`
    update campaigns set open_runs = ${isSent ? 30 - many : 30}::int, status = 'running' where workspace_id = ${owner.workspaceId}`;
  await database.clock.set('2031-03-13T12:00:00Z');
  return { owner, campaign };
}

const recall = (owner: Owner, campaignId: string) => recallCampaign({ db }, owner, { campaignId, runId: null });
const correct = (owner: Owner, campaignId: string, html = 'Corrected') =>
  correctCampaign({ db, convert }, owner, { campaignId, runId: null, html });
const nextDay = () => database.clock.set('2031-03-02T09:00:00Z');

async function carryOut(): Promise<void> {
  for (let steps = 0; steps < 500; steps++) if ((await processBulkRequests(db, EVERY_SHARD)) > 0) return;
  throw new Error('requests never came to an end');
}

async function wanted(owner: Owner, kind: 'recall' | 'correct'): Promise<number[]> {
  return readColumn<number>(db)`
    select position from revisions where workspace_id = ${owner.workspaceId} and wanted = ${kind} order by run_id, position`;
}

describe('a request about very many deliveries', () => {
  test('recalls them by reading few rows, reports all, and writes revisions in pieces', async () => {
    const { owner, campaign } = await sendMuch();
    let answer: unknown;
    expect(await cpuTimeOf(async () => (answer = await recall(owner, campaign)))).toBeLessThan(MOST_ROWS);
    expect(answer).toEqual({ campaignId: campaign, groups: GROUPS });
    expect((await getCampaign({ db }, owner, campaign)).status).toBe('cancelled');
    expect((await analyticsOf(db, owner, campaign)).isRevised).toBe(true);
    await carryOut();
    expect(await wanted(owner, 'recall')).toHaveLength(RUNS * GROUPS);
    expect(await cpuTimeOf(() => carryOut())).toBeLessThan(10);
  });

  test('corrects them by reading few rows, and so does a pause after it', async () => {
    const { owner, campaign } = await sendMuch();
    let answer: unknown;
    const effort = await cpuTimeOf(async () => {
      answer = await correct(owner, campaign);
      await pauseCampaign({ db }, owner, campaign);
    });
    expect(effort).toBeLessThan(MOST_ROWS);
    expect(answer).toEqual({ campaignId: campaign, groups: GROUPS, warnings: [] });
    await carryOut();
    expect(await wanted(owner, 'correct')).toHaveLength(RUNS * GROUPS);
  });

  test('cancels them by reading few rows, sends none afterwards, and reports each as cancelled in the end', async () => {
    const { owner, campaign } = await sendMuch('queued');
    await execute(db)`update lanes set work_at = campanile_now() where account_id = ${owner.accountId}`;
    expect(await cpuTimeOf(() => cancelCampaign({ db }, owner, campaign))).toBeLessThan(MOST_ROWS);
    expect(await turns.tryClaim(owner)).toBeUndefined();
    // Also for an account that is no longer linked.
    await execute(db)`update lanes set held_until = 'infinity' where account_id = ${owner.accountId}`;
    await carryOut();
    const { totals, campaign: head, runs } = await analyticsOf(db, owner, campaign);
    expect(head.status).toBe('cancelled');
    expect(totals).toMatchObject({ queued: 0, cancelled: RUNS * GROUPS, sent: 0 });
    expect(runs.every((run) => run.status === 'cancelled' && run.queued === 0)).toBe(true);
  });

  test('reads few rows also with stale statistics of the planner', async () => {
    // Deleted rows make the primary key's index one level higher, so that another index that begins with the account seems cheaper.
    for (const table of ['deliveries', 'revisions'])
      await execute(db)`alter table ${sql.table(table)} set (autovacuum_enabled = false)`;
    for (let times = 0; times < 3; times++) {
      await sendMuch();
      await execute(db)`delete from deliveries`;
    }
    await execute(db)`reindex index deliveries_message`;
    await execute(db)`analyze deliveries, revisions`;
    const runs = RUNS / 2;
    const { owner, campaign } = await sendMuch('sent', runs);
    expect(await cpuTimeOf(() => correct(owner, campaign)), 'a request').toBeLessThan(MOST_ROWS);
    // Each delivery and its revision, a few times.
    expect(await cpuTimeOf(() => analyticsOf(db, owner, campaign)), 'the analytics').toBeLessThan(3 * runs * GROUPS);
    expect(await cpuTimeOf(() => carryOut()), 'the writing').toBeLessThan(10 * runs * GROUPS);
    expect(await cpuTimeOf(() => analyticsOf(db, owner, campaign)), 'the analytics after it').toBeLessThan(
      5 * runs * GROUPS,
    );
    for (const table of ['deliveries', 'revisions'])
      await execute(db)`alter table ${sql.table(table)} set (autovacuum_enabled = true)`;
  });

  test('continues where a crashed worker stopped, each delivery once', async () => {
    const { owner, campaign } = await sendMuch();
    await recall(owner, campaign);
    await execute(db)`
      create function die() returns trigger language plpgsql as $$ begin
        if new.position = 2500 and (select count(*) from revisions where workspace_id = new.workspace_id) > 9000
          then raise exception 'the worker died' using errcode = 'admin_shutdown'; end if;
        return new; end $$`;
    await execute(db)`create trigger die before insert on revisions for each row execute function die()`;
    await expect(carryOut()).rejects.toThrow('the worker died');
    const before = (await wanted(owner, 'recall')).length;
    await execute(db)`drop function die() cascade`;
    await carryOut();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(RUNS * GROUPS);
    expect(await wanted(owner, 'recall')).toHaveLength(RUNS * GROUPS);
  });

  test('replaces an earlier request that is not wholly written, but a correction never replaces a recall', async () => {
    const { owner, campaign } = await sendMuch();
    await correct(owner, campaign, 'one');
    await correct(owner, campaign, 'two');
    await recall(owner, campaign);
    await expect(correct(owner, campaign, 'three')).rejects.toMatchObject({ kind: 'conflict' });
    await carryOut();
    expect(await wanted(owner, 'correct')).toEqual([]);
    expect(await wanted(owner, 'recall')).toHaveLength(RUNS * GROUPS);
  });

  test('rejects a retry of deliveries that are recalled, before the revisions are written', async () => {
    const { owner, campaign } = await sendMuch();
    await execute(db)`
      update runs set failed = 1, sent = sent - 1 where workspace_id = ${owner.workspaceId} and status = 'completed'`;
    await execute(db)`
      update deliveries set status = 'failed' where workspace_id = ${owner.workspaceId} and position = 3000`;
    const { runs } = await getCampaign({ db }, owner, campaign);
    for (const run of runs.slice(0, RUNS))
      await recallCampaign({ db }, owner, { campaignId: campaign, runId: run.runId });
    await expect(retryCampaign({ db }, owner, campaign)).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('a post that leaves after a request was accepted', () => {
  /** A run that is too large for the request to write all of its revisions itself. */
  async function beginLarge(): Promise<{ owner: Owner; campaign: string }> {
    const owner = await createOwner(db, GROUPS);
    await nextDay();
    const campaign = await sendNow(db, owner);
    await turns.finish(
      await turns.claim(owner, { batch: 2_200 }),
      Array.from({ length: 2_200 }, () => SENT),
    );
    return { owner, campaign };
  }

  test('is corrected if it was in hand then, and not if it left with the new text', async () => {
    const { owner, campaign } = await beginLarge();
    const inHand = await turns.claim(owner, { batch: 3 });
    expect((await correct(owner, campaign)).groups).toBe(2_203);
    await turns.finish(inHand, [SENT, SENT, SENT]);
    await turns.finish(
      await turns.claim(owner, { batch: 10 }),
      Array.from({ length: 10 }, () => SENT),
    );
    await carryOut();
    expect(await wanted(owner, 'correct')).toEqual(Array.from({ length: 2_203 }, (_, index) => index + 1));
  });

  test('is recalled if it was in hand', async () => {
    const { owner, campaign } = await beginLarge();
    const inHand = await turns.claim(owner, { batch: 3 });
    expect((await recall(owner, campaign)).groups).toBe(2_203);
    await turns.finish(inHand, [SENT, SENT, { kind: 'failed', reason: 'gone', uncertain: false }]);
    await carryOut();
    expect(await wanted(owner, 'recall')).toContain(2_202);
    expect((await analyticsOf(db, owner, campaign)).totals).toMatchObject({ sent: 2_202, queued: 0 });
  });

  test('is recalled if its worker died and it may have left', async () => {
    const { owner, campaign } = await beginLarge();
    await turns.claim(owner, { batch: 3 });
    await recall(owner, campaign);
    await turns.takeOver(owner);
    await carryOut();
    expect(await wanted(owner, 'recall')).toEqual(Array.from({ length: 2_203 }, (_, index) => index + 1));
    const rows = await readRows<{ uncertain: boolean }>(db)`
      select uncertain from deliveries where workspace_id = ${owner.workspaceId} and position between 2201 and 2203`;
    expect(
      rows.map((row) => row.uncertain),
      'nobody takes for granted that it has not',
    ).toEqual([true, true, true]);
  });
});
