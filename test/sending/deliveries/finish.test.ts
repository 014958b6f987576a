import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { limitFutureInstants } from '../../../src/sending/deliveries/limit-future-instants.ts';
import { requeueLanes } from '../../../src/sending/leases/lease-store.ts';
import { claimIsolated } from '../../../src/sending/deliveries/claim-isolated.ts';
import type { ClaimOptions, Turn } from '../../../src/sending/deliveries/claim-turns.ts';
import { finishTurns } from '../../../src/sending/deliveries/finish-turns.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, sendNow, type Owner } from '../../support/ledger.ts';

const database = await useTestDatabase();
await execute(database.db)`insert into workers (name) values ('test')`;
await execute(database.db)`update shards set worker_id = (select worker_id from workers)`;

const sent: Outcome = { kind: 'sent', recipients: 2 };

async function claim(owner: Owner, options: Partial<ClaimOptions> = {}): Promise<Turn | undefined> {
  const rows = await readRows<{ worker_id: number }>(database.db)`select worker_id from workers`;
  const { turns } = await claimIsolated(database, {
    workerId: rows[0]?.worker_id ?? 0,
    shards: [owner.accountId % 256],
    lanes: 10,
    batch: 500,
    paced: [],
    ...options,
  });
  return turns.find((turn) => turn.accountId === owner.accountId);
}

async function claimed(owner: Owner, options?: Partial<ClaimOptions>): Promise<Turn> {
  const turn = await claim(owner, options);
  if (!turn) throw new Error('there was no turn to claim');
  return turn;
}

const positions = (turn: Turn) => turn.deliveries.map((delivery) => delivery.position);
const finish = (turn: Turn, outcomes: Outcome[], gapMs = 0) => finishTurns(database.db, [{ turn, outcomes, gapMs }]);
const all = (turn: Turn, outcome: Outcome) => turn.deliveries.map(() => outcome);

describe('a turn', () => {
  test('takes the first deliveries in the order of the groups, and blocks a second turn', async () => {
    const owner = await createOwner(database.db, 5);
    const order = owner.groupIds.toReversed();
    await sendNow(database.db, owner, order);
    const turn = await claimed(owner, { batch: 3 });
    expect(positions(turn)).toEqual([1, 2, 3]);
    expect(turn.deliveries[0]?.chatId).toBe(`${owner.accountId}-5@g.us`);
    expect(await claim(owner)).toBeUndefined();
    await finish(turn, all(turn, sent));
    expect(positions(await claimed(owner))).toEqual([4, 5]);
  });

  test('counts once, however often its finish is repeated', async () => {
    const owner = await createOwner(database.db, 3);
    const campaign = await sendNow(database.db, owner);
    const turn = await claimed(owner);
    for (let repeat = 0; repeat < 3; repeat++) await finish(turn, all(turn, sent));
    const { totals, campaign: head, runs } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ deliveries: 3, sent: 3, queued: 0, recipients: 6, runsDone: 1 });
    expect(head.status).toBe('completed');
    expect(runs[0]).toMatchObject({ status: 'completed', sent: 3, queued: 0 });
  });

  test('records a reason that was cut in the middle of a character', async () => {
    const owner = await createOwner(database.db, 2);
    await sendNow(database.db, owner);
    const turn = await claimed(owner);
    await finish(turn, all(turn, { kind: 'failed', reason: 'no \ud83d', uncertain: false }));
    const rows = await readRows(database.db)`select error from deliveries where workspace_id = ${owner.workspaceId}`;
    expect(rows).toEqual([{ error: 'no \ufffd' }, { error: 'no \ufffd' }]);
  });

  test('keeps the message id of a delivery in all attempts', async () => {
    const owner = await createOwner(database.db, 2);
    await sendNow(database.db, owner);
    const first = await claimed(owner);
    await finish(first, all(first, { kind: 'retry', waitMs: 0, reason: 'busy', uncertain: true }));
    const second = await claimed(owner);
    expect(second.deliveries.map((delivery) => delivery.messageId)).toEqual(
      first.deliveries.map((delivery) => delivery.messageId),
    );
    expect(second.deliveries).toMatchObject([
      { attempts: 1, uncertain: true },
      { attempts: 1, uncertain: true },
    ]);
  });

  test('has one delivery for a messenger with a gap, and the next turn waits for the gap', async () => {
    const owner = await createOwner(database.db, 3);
    await sendNow(database.db, owner);
    const turn = await claimed(owner, { paced: ['sandbox'] });
    expect(positions(turn)).toEqual([1]);
    await finish(turn, [sent], 60_000);
    expect(await claim(owner, { paced: ['sandbox'] })).toBeUndefined();
    await database.clock.advance(59_000);
    expect(await claim(owner, { paced: ['sandbox'] })).toBeUndefined();
    await database.clock.advance(1_100);
    expect(positions(await claimed(owner, { paced: ['sandbox'] }))).toEqual([2]);
  });

  test('ends, and its lane waits for one whole gap, when the clock is set back', async () => {
    const owner = await createOwner(database.db, 3);
    await sendNow(database.db, owner);
    const paced = { paced: ['sandbox'] };
    await finish(await claimed(owner, paced), [sent], 60_000);
    await database.clock.advance(60_100);
    const turn = await claimed(owner, paced);
    await database.clock.advance({ minutes: -30 });
    await finish(turn, [{ kind: 'snooze', cooldownMs: 0 }]);
    const limit = () =>
      limitFutureInstants(database.db, { shards: [owner.accountId % 256] }, { sandbox: { minMs: 0, maxMs: 60_000 } });
    await limit();
    await database.clock.advance(59_000);
    await limit();
    expect(await claim(owner, paced)).toBeUndefined();
    await database.clock.advance(1_100);
    expect(positions(await claimed(owner, paced))).toEqual([2]);
  });

  test('is claimed only by the holder of the shard', async () => {
    const owner = await createOwner(database.db, 1);
    await sendNow(database.db, owner);
    expect(await claim(owner, { workerId: -1 })).toBeUndefined();
    expect(await claim(owner)).toBeDefined();
  });
});

describe('a delivery that fails for a passing reason', () => {
  test('is retried after its wait, and delays no other delivery', async () => {
    const owner = await createOwner(database.db, 3);
    const campaign = await sendNow(database.db, owner);
    const first = await claimed(owner);
    await finish(first, [{ kind: 'retry', waitMs: 30_000, reason: 'busy', uncertain: false }, sent, sent]);
    expect(await claim(owner)).toBeUndefined();
    await database.clock.advance(30_100);
    const again = await claimed(owner);
    expect(positions(again)).toEqual([1]);
    await finish(again, [{ kind: 'failed', reason: 'The group is gone', uncertain: false }]);
    const { totals, campaign: head, groups } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 2, failed: 1, queued: 0 });
    expect(head.status).toBe('completed_with_errors');
    expect(groups[0]?.lastError).toBe('The group is gone');
  });

  test('counts no attempt while the account is offline, and goes first when it is back', async () => {
    const owner = await createOwner(database.db, 4);
    await sendNow(database.db, owner);
    const first = await claimed(owner);
    const offline: Outcome = { kind: 'snooze', cooldownMs: 60_000 };
    await finish(first, [sent, offline, sent, offline]);
    expect(await claim(owner)).toBeUndefined();
    await database.clock.advance(60_100);
    const again = await claimed(owner);
    expect(again.deliveries).toMatchObject([
      { position: 2, attempts: 0 },
      { position: 4, attempts: 0 },
    ]);
  });
});

describe('a turn that was taken away', () => {
  test('is queued again as uncertain, after a whole gap and one delivery at a time', async () => {
    const owner = await createOwner(database.db, 2);
    await sendNow(database.db, owner);
    await claimed(owner);
    await database.db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], { sandbox: 6_000 }));
    expect(await claim(owner)).toBeUndefined();
    await database.clock.advance(6_100);
    for (const position of [1, 2]) {
      const again = await claimed(owner);
      expect(again.deliveries).toMatchObject([{ position, uncertain: true }]);
      await finish(again, [sent]);
    }
    expect(await claim(owner)).toBeUndefined();
  });

  test('can record only sent posts, and leaves the new turn alone', async () => {
    const owner = await createOwner(database.db, 3);
    const campaign = await sendNow(database.db, owner);
    const frozen = await claimed(owner);
    await database.db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], {}));
    const current = await claimed(owner);
    expect(positions(current)).toEqual([1]);
    await finish(frozen, [
      sent,
      { kind: 'failed', reason: 'too late to say', uncertain: false },
      { kind: 'snooze', cooldownMs: 60_000 },
    ]);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 1, failed: 0, queued: 2 });
    expect(await claim(owner)).toBeUndefined();
    await finish(current, all(current, sent));
    for (const position of [2, 3]) {
      const next = await claimed(owner);
      expect(positions(next)).toEqual([position]);
      await finish(next, [sent]);
    }
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 3, failed: 0, queued: 0 });
  });
});

describe('two turns of one account that are finished together', () => {
  const lost: Outcome[] = [
    { kind: 'failed', reason: 'too late to say', uncertain: false },
    { kind: 'failed', reason: 'too late to say', uncertain: false },
    sent,
  ];
  test.each(['first', 'last'])('are recorded separately, with the lost one %s', async (place) => {
    const owner = await createOwner(database.db, 3);
    const campaign = await sendNow(database.db, owner);
    const frozen = await claimed(owner);
    await database.db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], {}));
    const current = await claimed(owner);
    expect(positions(current)).toEqual([1]);
    const batch = [
      { turn: frozen, outcomes: lost, gapMs: 0 },
      { turn: current, outcomes: [sent], gapMs: 60_000 },
    ];
    await finishTurns(database.db, place === 'first' ? batch : batch.toReversed());
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 2, failed: 0, queued: 1 });
    expect(await claim(owner)).toBeUndefined();
    await database.clock.advance(60_100);
    const last = await claimed(owner);
    expect(positions(last)).toEqual([2]);
    await finish(last, [sent]);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 3, failed: 0, queued: 0 });
  });
});

describe('runs under way', () => {
  test('take turns, so that a single post waits for one turn of a large campaign', async () => {
    const owner = await createOwner(database.db, 4);
    const large = await sendNow(database.db, owner);
    const served: number[] = [];
    const step = async () => {
      const turn = await claimed(owner, { batch: 1 });
      served.push(turn.runId);
      await finish(turn, all(turn, sent));
    };
    await step();
    const urgent = await sendNow(database.db, owner, owner.groupIds.slice(0, 1));
    await step();
    await step();
    const [largeRun] = (await analyticsOf(database.db, owner, large)).runs;
    const [urgentRun] = (await analyticsOf(database.db, owner, urgent)).runs;
    expect(served).toEqual([largeRun?.runId, urgentRun?.runId, largeRun?.runId]);
    expect(urgentRun?.status).toBe('completed');
  });

  test('start in the order of their due times, then of acceptance', async () => {
    const owner = await createOwner(database.db, 1);
    for (let run = 0; run < 4; run++) await sendNow(database.db, owner);
    // The run that was accepted last was due first, and the others were due at one instant.
    await execute(database.db)`
      update runs r set due_at = '2031-01-01T00:00:00Z'::timestamptz - (run_id = last.id)::int * interval '1 minute'
      from (select max(run_id) as id from runs where workspace_id = ${owner.workspaceId}) last
      where workspace_id = ${owner.workspaceId}`;
    const rows = await readRows<{ id: number }>(database.db)`
      select run_id as id from runs where workspace_id = ${owner.workspaceId} order by due_at, run_id`;
    const served: number[] = [];
    for (let turn = await claim(owner); turn; turn = await claim(owner)) {
      served.push(turn.runId);
      await finish(turn, all(turn, sent));
    }
    expect(served).toEqual(rows.map((row) => row.id));
  });
});

describe('control', () => {
  test('sends nothing of a paused campaign but the turn in hand, and resumes where it was', async () => {
    const owner = await createOwner(database.db, 4);
    const campaign = await sendNow(database.db, owner);
    const inHand = await claimed(owner, { batch: 1 });
    expect(await pauseCampaign(database, owner, campaign)).toMatchObject({ status: 'paused' });
    await finish(inHand, [sent]);
    expect(await claim(owner)).toBeUndefined();
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 1, queued: 3 });
    expect(await resumeCampaign(database, owner, campaign)).toMatchObject({ status: 'running' });
    expect(positions(await claimed(owner))).toEqual([2, 3, 4]);
  });

  test('sends another campaign while one is paused', async () => {
    const owner = await createOwner(database.db, 2);
    const paused = await sendNow(database.db, owner);
    await pauseCampaign(database, owner, paused);
    await sendNow(database.db, owner);
    const turn = await claimed(owner);
    await finish(turn, all(turn, sent));
    expect(await claim(owner)).toBeUndefined();
    expect((await analyticsOf(database.db, owner, paused)).totals).toMatchObject({ sent: 0, queued: 2 });
  });

  test('records the outcome of a turn that was in hand when its campaign was cancelled', async () => {
    const owner = await createOwner(database.db, 4);
    const campaign = await sendNow(database.db, owner);
    const inHand = await claimed(owner, { batch: 2 });
    expect(await cancelCampaign(database, owner, campaign)).toMatchObject({ status: 'cancelled' });
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ cancelled: 4, sent: 0 });
    await finish(inHand, [sent, { kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false }]);
    const { totals, campaign: head, runs } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ deliveries: 4, cancelled: 3, sent: 1, queued: 0 });
    expect(runs[0]).toMatchObject({ cancelled: 3, sent: 1, status: 'cancelled' });
    expect(head.status).toBe('cancelled');
    expect(await claim(owner)).toBeUndefined();
  });

  test('flags the deliveries in hand as uncertain when their campaign is cancelled', async () => {
    const owner = await createOwner(database.db, 4);
    const campaign = await sendNow(database.db, owner);
    await claimed(owner, { batch: 2 });
    await cancelCampaign(database, owner, campaign);
    const rows = await readRows<{ position: number }>(database.db)`
      select position from deliveries where workspace_id = ${owner.workspaceId} and uncertain order by position`;
    expect(rows.map(({ position }) => position)).toEqual([1, 2]);
  });

  test('rejects changes that the state forbids, and answers 404 to another user', async () => {
    const owner = await createOwner(database.db, 1);
    const mallory = await createOwner(database.db, 1);
    const campaign = await sendNow(database.db, owner);
    await expect(resumeCampaign(database, owner, campaign)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(pauseCampaign(database, mallory, campaign)).rejects.toMatchObject({ kind: 'not_found' });
    await cancelCampaign(database, owner, campaign);
    await expect(cancelCampaign(database, owner, campaign)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(pauseCampaign(database, owner, campaign)).rejects.toMatchObject({ kind: 'conflict' });
  });
});
