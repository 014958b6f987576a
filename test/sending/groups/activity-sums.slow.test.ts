/** Property test: the activity of groups, which is kept and changed with each post, equals a count of all single posts. */
import fc from 'fast-check';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { readActivity } from '../../../src/sending/groups/read-activity.ts';
import { updateActivity } from '../../../src/sending/groups/update-activity.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { runs } from '../../support/runs.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const RUNS = runs(8);
const GROUPS = 6;

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

/** One event; its numbers choose among the existing rows. */
const choice = fc.nat({ max: 1_000 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      groups: fc.uniqueArray(fc.nat({ max: GROUPS - 1 }), { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('schedule' as const), days: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('drain' as const), failing: choice }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('receipts' as const),
      posts: fc.array(choice, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('retry' as const, 'delete' as const), campaign: choice }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), hours: fc.nat({ max: 700 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('sum' as const, 'keep' as const, 'keep' as const, 'remove' as const),
      steps: fc.integer({ min: 1, max: 6 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface World {
  owner: Owner;
  campaigns: string[];
}

/** Half of the groups are channels: these have views. */
async function createWorld(): Promise<World> {
  const owner = await createOwner(database.db, GROUPS);
  await execute(database.db)`
    update groups set kind = 'channel' where workspace_id = ${owner.workspaceId} and group_id % 2 = 0`;
  return { owner, campaigns: [] };
}

async function scheduleTomorrow(owner: Owner, days: number): Promise<string> {
  const first = (await database.clock.now())
    .toTemporalInstant()
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
    .add({ days: 1 });
  return schedule(database.db, owner, {
    startDate: first.toString(),
    endDate: first.add({ days: days - 1 }).toString(),
    time: '09:00:00',
  });
}

/** Moves the clock to the next planned run, if there is one. */
async function waitForNextRun({ workspaceId }: Owner): Promise<void> {
  const rows = await readRows<{ due: Date | null }>(database.db)`
    select min(due_at) + interval '1 minute' as due from runs
    where workspace_id = ${workspaceId} and status = 'planned' and due_at > campanile_now()`;
  if (rows[0]?.due) await database.clock.set(rows[0].due);
}

async function receive({ owner: { accountId, workspaceId } }: World, posts: readonly number[]): Promise<void> {
  const rows = await readRows<{ messageId: string; isChannel: boolean }>(database.db)`
    select message_id as "messageId", g.kind = 'channel' as "isChannel" from deliveries d join groups g using (group_id)
    where d.workspace_id = ${workspaceId} and d.status <> 'queued' order by run_id, position`;
  if (rows.length === 0) return;
  const events = posts.map((post): MemberEvent => {
    const { messageId, isChannel } = rows[post % rows.length] ?? { messageId: '', isChannel: false };
    const about = { accountId, messageId, at: new Date() };
    if (isChannel) return { ...about, kind: 'tally', views: post % 9, reactions: post % 3 };
    const kinds = ['delivered', 'read', 'reacted', 'replied'] as const;
    return { ...about, kind: kinds[post % 4] ?? 'read', participant: `member ${post % 5}` };
  });
  await recordReceipts(database.db, events);
}

async function unlessConflict(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  });
}

async function take(world: World, one: Step): Promise<void> {
  const { db } = database;
  const { owner, campaigns } = world;
  switch (one.kind) {
    case 'send':
      campaigns.push(
        await sendNow(
          db,
          owner,
          one.groups.map((index) => owner.groupIds[index] ?? 0),
        ),
      );
      return;
    case 'schedule':
      campaigns.push(await scheduleTomorrow(owner, one.days));
      return;
    case 'drain':
      await waitForNextRun(owner);
      while ((await beginDueRuns(db, EVERY_SHARD)) <= 10);
      while (await sweepRuns(db, EVERY_SHARD));
      await turns.drain(owner, (position) => ((one.failing >> position) % 3 === 0 ? failed : sent));
      return;
    case 'receipts':
      return receive(world, one.posts);
    case 'retry':
    case 'delete': {
      const campaign = campaigns[one.campaign % campaigns.length];
      if (campaign === undefined) return;
      const act = () =>
        one.kind === 'retry' ? retryCampaign({ db }, owner, campaign) : deleteCampaign({ db }, owner, campaign);
      await unlessConflict(act);
      if (one.kind === 'delete') campaigns.splice(one.campaign % campaigns.length, 1);
      return;
    }
    case 'time':
      await database.clock.advance({ hours: one.hours });
      return;
    case 'sum':
      await database.clock.advance({ days: 1, minutes: 1 });
      for (let count = 0; count < one.steps; count++) await rollUpRuns(db, 4);
      return;
    case 'keep':
      for (let count = 0; count < one.steps; count++) await updateActivity(db, 4);
      return;
    case 'remove':
      for (let count = 0; count < one.steps; count++) await removeDeleted(db);
      return;
    default:
      one satisfies never;
  }
}

/** Counts every single post. */
async function countPosts({ owner: { workspaceId } }: World): Promise<Map<number, object>> {
  const rows = await readRows<{ groupId: number }>(database.db)`
    select d.group_id as "groupId", count(*) filter (where d.status = 'sent')::int as posts,
           max(d.sent_at) filter (where d.status = 'sent') as "lastPostedAt", count(*) filter (where d.status = 'failed')::int as failed,
           coalesce(sum(greatest(d.recipients, d.delivered, d.reactions, d.replies, d.views)) filter (where d.status = 'sent'), 0)::int as recipients,
           coalesce(sum(greatest(d.read, d.views)) filter (where d.status = 'sent'), 0)::int as read
    from deliveries d
    join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id
    join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
    where d.workspace_id = ${workspaceId} and d.status in ('sent', 'failed') and r.started_at > campanile_now() - interval '90 days'
    group by d.group_id`;
  return new Map(rows.map(({ groupId, ...counts }) => [groupId, counts]));
}

async function readAll({ owner }: World, groupIds: readonly number[]): Promise<Map<number, object>> {
  const activity = await readActivity(database.db, owner.workspaceId, groupIds);
  return new Map(
    [...activity].map(([groupId, { posts, lastPostedAt, failed: failures, recipients, read }]) => [
      groupId,
      { posts, lastPostedAt, failed: failures, recipients, read },
    ]),
  );
}

/** Returns what is kept, without any delivery. */
async function readKept({ owner: { workspaceId } }: World): Promise<Map<number, object>> {
  const rows = await readRows<{ groupId: number }>(database.db)`
    select group_id as "groupId", posts, last_sent_at as "lastPostedAt", failed, recipients, read
    from group_activity where workspace_id = ${workspaceId} and posts + failed > 0`;
  return new Map(rows.map(({ groupId, ...counts }) => [groupId, counts]));
}

test('the activity of groups equals the count of their posts after any sequence of events', async () => {
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      const world = await createWorld();
      for (const one of steps) {
        await take(world, one);
        const expected = await countPosts(world);
        expect(await readAll(world, world.owner.groupIds)).toEqual(expected);
        const some = world.owner.groupIds.filter((_, index) => index % 2 === 1);
        expect(await readAll(world, some)).toEqual(
          new Map([...expected].filter(([groupId]) => some.includes(groupId))),
        );
      }
      // At last everything is sent and in the sums, also for the next sequence, since the oldest runs come first.
      await take(world, { kind: 'send', groups: [0, 1, 2] });
      await take(world, { kind: 'drain', failing: 0 });
      await database.clock.advance({ days: 1, minutes: 1 });
      while (await rollUpRuns(database.db));
      while (await updateActivity(database.db));
      const counted = await countPosts(world);
      expect(await readAll(world, world.owner.groupIds)).toEqual(counted);
      expect(await readKept(world)).toEqual(counted);
      kept += counted.size;
    }),
    { numRuns: RUNS },
  );
  expect(kept).toBeGreaterThan(0);
});

test('reads no delivery of runs whose figures are kept', async () => {
  const world = await createWorld();
  world.campaigns.push(await scheduleTomorrow(world.owner, 5));
  for (let day = 0; day < 5; day++) {
    await take(world, { kind: 'drain', failing: 2 });
    await take(world, { kind: 'receipts', posts: [1, 2, 3, 4, 5, 6, 7, 8] });
  }
  await database.clock.advance({ days: 2 });
  while (await rollUpRuns(database.db));
  while (await updateActivity(database.db));
  const groups = world.owner.groupIds;
  const before = await readAll(world, groups);
  expect(before.size).toBe(groups.length);
  expect(before).toEqual(await countPosts(world));
  // Without its single posts it says the same, so none of them was read.
  await execute(database.db)`alter table deliveries disable trigger user`;
  await execute(database.db)`delete from deliveries where workspace_id = ${world.owner.workspaceId}`;
  await execute(database.db)`alter table deliveries enable trigger user`;
  expect(await readAll(world, groups)).toEqual(before);
});
