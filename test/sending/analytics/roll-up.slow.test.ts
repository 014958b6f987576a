/** Roll-ups of ended runs do not change the analytics, in any order. */
import fc from 'fast-check';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { readOverview } from '../../../src/sending/analytics/read-overview.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { sumMinutes } from '../../../src/sending/campaigns/roll-up/roll-up-minutes.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { claimRevisions } from '../../../src/sending/deliveries/claim-revisions.ts';
import { finishRevision, type RevisionOutcome } from '../../../src/sending/deliveries/finish-revision.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { readActivity } from '../../../src/sending/groups/read-activity.ts';
import { updateActivity } from '../../../src/sending/groups/update-activity.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, convert, createOwner, schedule, sendNow, until, type Owner } from '../../support/ledger.ts';
import { runs } from '../../support/runs.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const RUNS = runs(10);
const GROUPS = 4;
const SHARDS = Array.from({ length: 256 }, (_, shard) => shard);
const PEOPLE = ['lid:ann', 'lid:ben', 'number:ann', 'number:ben'];

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

const uncertain: Outcome = { kind: 'failed', reason: 'outcome_unknown: the line was cut', uncertain: true };
const again: Outcome = { kind: 'retry', waitMs: 1, reason: 'busy', uncertain: false };
const OUTCOMES = [sent, sent, failed, uncertain, again];
const DONE: RevisionOutcome = { kind: 'done' };
const REVISED = [DONE, { kind: 'failed', reason: 'Too late' }, { kind: 'absent' }] as const;
const KINDS = ['delivered', 'read', 'reacted', 'replied'] as const;

/** One event; its numbers choose among the existing rows. */
type Step =
  | { kind: 'send' | 'schedule' | 'begin' | 'cancel' | 'retry' | 'recall' | 'correct' | 'cancelInHand'; pick: number }
  | { kind: 'post' | 'revise'; outcomes: number[] }
  | { kind: 'told' | 'tallied'; events: Array<{ post: number; what: number; who: number; minute: number }> }
  | { kind: 'same'; pick: number }
  | { kind: 'time'; hours: number }
  | { kind: 'sum'; steps: number; minutes: boolean };

const pick = fc.nat({ max: 1_000 });
const choices = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 });
const told = fc.record({
  post: pick,
  what: fc.nat({ max: 3 }),
  who: fc.nat({ max: 3 }),
  minute: fc.nat({ max: 9_000 }),
});
const just = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: just('send', 'schedule', 'begin'), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: just('retry', 'recall', 'correct', 'cancel', 'cancelInHand'), pick }) },
  { weight: 6, arbitrary: fc.record({ kind: just('post', 'post', 'revise'), outcomes: choices }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: just('told', 'told', 'tallied'),
      events: fc.array(told, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: just('same'), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: just('time'), hours: fc.nat({ max: 40 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: just('sum'), steps: fc.nat({ max: 6 }), minutes: fc.boolean() }) },
);

/** The outcome of each post of the first days of a campaign. */
const beginning = fc.array(fc.array(fc.nat({ max: 20 }), { minLength: GROUPS, maxLength: GROUPS }), {
  minLength: 2,
  maxLength: 4,
});

interface World {
  owner: Owner;
  campaigns: string[];
}

/** Of a conflict nothing came. */
async function unlessConflict(act: Promise<unknown>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  });
}

async function take(world: World, one: Step): Promise<void> {
  const { db } = database;
  const { owner, campaigns } = world;
  switch (one.kind) {
    case 'send':
      campaigns.push(await sendNow(db, owner, owner.groupIds.slice(one.pick % 3)));
      return;
    case 'schedule':
      campaigns.push(await scheduleSoon(owner));
      return;
    case 'begin':
      await database.clock.advance({ hours: 1 });
      await until(
        () => beginDueRuns(db, SHARDS),
        (ms) => ms > 0,
      );
      return;
    case 'post':
      return post(owner, one.outcomes);
    case 'revise':
      return revise(owner, one.outcomes);
    case 'told':
    case 'tallied':
      return tell(owner, one);
    case 'same': {
      const participant = PEOPLE[one.pick % 2] ?? '';
      const alias = participant.replace('lid', 'number');
      await recordReceipts(db, [{ kind: 'same', accountId: owner.accountId, participant, alias }]);
      return;
    }
    case 'time':
      await database.clock.advance({ hours: one.hours });
      return;
    case 'sum':
      return sum(world, one);
    default:
      return change(world, one);
  }
}

async function change(
  { owner, campaigns }: World,
  { kind, pick: index }: { kind: string; pick: number },
): Promise<void> {
  const { db } = database;
  const campaignId = campaigns[index % campaigns.length];
  if (campaignId === undefined) return;
  switch (kind) {
    case 'retry':
      return unlessConflict(retryCampaign({ db }, owner, campaignId));
    case 'recall':
      return unlessConflict(recallCampaign({ db }, owner, { campaignId, runId: null }));
    case 'correct':
      return unlessConflict(correctCampaign({ db, convert }, owner, { campaignId, runId: null, html: 'Better' }));
    case 'cancel':
      return unlessConflict(cancelCampaign({ db }, owner, campaignId));
    default: {
      // Posts in hand at the cancel had left.
      const turn = await turns.tryClaim(owner);
      await unlessConflict(cancelCampaign({ db }, owner, campaignId));
      if (turn)
        await turns.finish(
          turn,
          turn.deliveries.map(() => sent),
        );
    }
  }
}

async function post(owner: Owner, outcomes: number[]): Promise<void> {
  const turn = await turns.tryClaim(owner, { batch: outcomes.length });
  if (turn)
    await turns.finish(
      turn,
      turn.deliveries.map((_, index) => OUTCOMES[(outcomes[index] ?? 0) % OUTCOMES.length] ?? sent),
    );
}

/** Begins, sends and ends the run of a day, and rolls up ended runs. */
async function postDay(world: World, outcomes: number[]): Promise<void> {
  await take(world, { kind: 'begin', pick: 0 });
  await post(world.owner, outcomes);
  await database.clock.advance({ hours: 1 });
  await turns.drain(world.owner, (position) => ((outcomes[position - 1] ?? 0) % 2 === 0 ? failed : sent));
  await database.clock.advance({ hours: 22 });
  await sum(world, { steps: 4, minutes: true });
}

async function revise(owner: Owner, outcomes: number[]): Promise<void> {
  const rows = await readRows<{ id: number }>(database.db)`select max(worker_id) as id from shards`;
  const options = { workerId: rows[0]?.id ?? 0, batch: outcomes.length, paced: [] };
  const [turn] = (await claimRevisions(database.db, [owner.accountId], options)).turns;
  if (!turn) return;
  const told = turn.posts.map((_, index) => REVISED[(outcomes[index] ?? 0) % REVISED.length] ?? DONE);
  await finishRevision(database.db, turn, told, { gapMs: 0, cooldownMs: 0 });
}

async function tell(
  { accountId, workspaceId }: Owner,
  { kind, events }: Extract<Step, { kind: 'told' | 'tallied' }>,
): Promise<void> {
  const rows = await readRows<{ id: string; isChannel: boolean }>(database.db)`
    select d.message_id as id, g.kind = 'channel' as "isChannel" from deliveries d join groups g on g.group_id = d.group_id
    where d.workspace_id = ${workspaceId} order by d.run_id, d.position`;
  const known = events.flatMap(({ post: index, what, who, minute }): MemberEvent[] => {
    const message = rows[index % rows.length];
    if (!message || message.isChannel !== (kind === 'tallied')) return [];
    const about = { accountId, messageId: message.id, at: new Date(Date.UTC(2031, 0, 1, 0, minute)) };
    if (message.isChannel) return [{ kind: 'tally', ...about, views: minute, reactions: what }];
    const participant = PEOPLE[who] ?? '';
    return [{ kind: KINDS[what] ?? 'read', ...about, participant, isProvisional: participant.startsWith('number') }];
  });
  await recordReceipts(database.db, known);
}

async function scheduleSoon(owner: Owner): Promise<string> {
  const due = new Date((await database.clock.now()).getTime() + 600_000);
  const day = (days: number) => new Date(due.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  return schedule(database.db, owner, { startDate: day(0), endDate: day(3), time: due.toISOString().slice(11, 19) });
}

const allOf = ({ owner, campaigns }: World) =>
  Promise.all(campaigns.map((campaign) => analyticsOf(database.db, owner, campaign)));

/** Expects the same denominator of rates in the overview and in the campaigns. */
async function expectOneDenominator(world: World): Promise<void> {
  const { totals } = await readOverview({ db: database.db, timeZone: 'UTC' }, world.owner, 366);
  const campaigns = await allOf(world);
  expect(totals.acknowledging).toBe(campaigns.reduce((all, one) => all + one.totals.acknowledging, 0));
}

const activityOf = ({ workspaceId, groupIds }: Owner) => readActivity(database.db, workspaceId, groupIds);

/** Rolls up two deliveries of a run at a time, so that runs are also rolled up in part. */
async function sum(world: World, { steps, minutes }: { steps: number; minutes: boolean }): Promise<void> {
  const { owner } = world;
  const before = await allOf(world);
  const activity = await activityOf(owner);
  for (let count = 0; count < steps; count++) await rollUpRuns(database.db, 2);
  for (let count = 0; count < steps; count++) await updateActivity(database.db, 1);
  if (minutes) for (let last = await sumMinutes(database.db); last; last = await sumMinutes(database.db, last));
  expect(await allOf(world)).toEqual(before);
  expect(await activityOf(owner)).toEqual(activity);
  await expectOneDenominator(world);
}

async function sumAll(): Promise<void> {
  await until(() => rollUpRuns(database.db), false);
  await until(() => updateActivity(database.db), false);
  for (let last = await sumMinutes(database.db); last; last = await sumMinutes(database.db, last));
}

test('equals the counts of the deliveries, in any order of roll-ups and events', async () => {
  await fc.assert(
    fc.asyncProperty(beginning, fc.array(step, { minLength: 5, maxLength: 25 }), async (before, steps) => {
      const world: World = { owner: await createOwner(database.db, GROUPS), campaigns: [] };
      const { owner } = world;
      await execute(database.db)`update groups set kind = 'channel' where group_id = ${owner.groupIds[3]}`;
      await take(world, { kind: 'schedule', pick: 0 });
      for (const outcomes of before) await postDay(world, outcomes);
      for (const one of steps) await take(world, one);
      await database.clock.advance({ days: 2 });
      await sumAll();
      await expectOneDenominator(world);
      const summed = await allOf(world);
      const kept = await activityOf(owner);
      for (const { totals, timeline } of summed)
        for (const field of ['sent', 'delivered', 'read'] as const)
          expect(
            timeline.reduce((all, bucket) => all + bucket[field], 0),
            field,
          ).toBe(totals[field] ?? 0);
      // As if nothing had ever been rolled up.
      await execute(database.db)`delete from group_sums where workspace_id = ${owner.workspaceId}`;
      await execute(database.db)`delete from group_activity where workspace_id = ${owner.workspaceId}`;
      await execute(database.db)`
        update runs set in_activity = 0, summed = 0, acknowledging = 0 where workspace_id = ${owner.workspaceId}`;
      const counted = await allOf(world);
      expect(kept).toEqual(await activityOf(owner));
      expect(summed.map(({ totals, groups }) => ({ totals, groups }))).toEqual(
        counted.map(({ totals, groups }) => ({ totals, groups })),
      );
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
});
