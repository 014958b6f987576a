/**
 * Property test: after any sequence of events the totals agree with the groups, the groups with the runs, all of them with the ledger,
 * and the receipts with the actions of the members. `FUZZ_RUNS` lengthens it.
 */
import fc from 'fast-check';
import { readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import type { GroupAnalytics } from '../../../src/sending/analytics/group-analytics.ts';
import { readOverview } from '../../../src/sending/analytics/read-overview.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import type { MemberEvent, SendResult } from '../../../src/messengers/messenger.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  createOwner,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { runs } from '../../support/runs.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const RUNS = runs(4);
const GROUPS = 4;
const PEOPLE = ['ann', 'ben', 'cem'];
const KINDS = ['delivered', 'read', 'reacted', 'replied'] as const;

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

/** One event; its numbers choose among the existing rows. */
type Step =
  | { kind: 'send'; groups: number[] }
  | { kind: 'schedule' }
  | { kind: 'pause' | 'resume' | 'cancel'; campaign: number }
  | { kind: 'told'; events: Array<{ post: number; what: number; who: number; minute: number }> }
  | { kind: 'moods'; results: SendResult[] }
  | { kind: 'time'; minutes: number }
  | { kind: 'sum' };

const choice = fc.nat({ max: 1_000 });
const told = fc.record({
  post: choice,
  what: fc.nat({ max: 3 }),
  who: fc.nat({ max: PEOPLE.length - 1 }),
  minute: fc.nat({ max: 6_000 }),
});
const result: fc.Arbitrary<SendResult> = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((recipients) => ({ kind: 'sent' as const, recipients })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'refused' as const, reason: 'not a member', final: true }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'refused' as const, reason: 'busy', final: false }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'unknown' as const, reason: 'the line was cut' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'offline' as const, reason: 'away', cooldownMs: 20 }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      groups: fc.uniqueArray(fc.nat({ max: GROUPS - 1 }), { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'schedule' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause' as const, 'resume' as const, 'cancel' as const),
      campaign: choice,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('told' as const),
      events: fc.array(told, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('moods' as const),
      results: fc.array(result, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), minutes: fc.nat({ max: 300 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'sum' as const }) },
);

/** The state of the model. */
interface World {
  owner: Owner;
  campaigns: string[];
  /** The kinds of receipts of each member for each post, by `message/person`. */
  doings: Map<string, Set<string>>;
}

async function messagesOf({ owner }: World): Promise<string[]> {
  return readColumn<string>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by run_id, position`;
}

async function take(world: World, one: Step): Promise<void> {
  const { owner, campaigns } = world;
  switch (one.kind) {
    case 'send':
      campaigns.push(
        await sendNow(
          database.db,
          owner,
          one.groups.map((index) => owner.groupIds[index] ?? 0),
        ),
      );
      return;
    case 'schedule':
      campaigns.push(await scheduleSoon(owner));
      return;
    case 'pause':
    case 'resume':
    case 'cancel':
      return control(world, one.kind, campaigns[one.campaign % campaigns.length]);
    case 'told':
      return tell(world, one.events);
    case 'moods': {
      let next = 0;
      messenger.answer = () => one.results[next++ % one.results.length];
      return;
    }
    case 'time':
      await database.clock.advance({ minutes: one.minutes });
      return;
    case 'sum':
      await database.clock.advance({ days: 1, minutes: 1 });
      await until(() => rollUpRuns(database.db), false);
      return;
    default:
      one satisfies never;
  }
}

/** On three days from now on, a minute ahead. */
async function scheduleSoon(owner: Owner): Promise<string> {
  const rows = await readRows<{ now: Date }>(database.db)`select campanile_now() as now`;
  const due = new Date((rows[0]?.now.getTime() ?? 0) + 60_000);
  const day = (days: number) => new Date(due.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  return schedule(database.db, owner, { startDate: day(0), endDate: day(2), time: due.toISOString().slice(11, 19) });
}

async function control({ owner }: World, what: 'pause' | 'resume' | 'cancel', campaign: string | undefined) {
  const act = { pause: pauseCampaign, resume: resumeCampaign, cancel: cancelCampaign }[what];
  if (campaign === undefined) return;
  await act({ db: database.db }, owner, campaign).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  });
}

async function tell(world: World, events: Extract<Step, { kind: 'told' }>['events']): Promise<void> {
  const messages = await messagesOf(world);
  if (messages.length === 0) return;
  const known = events.map(({ post, what, who, minute }): MemberEvent => {
    const event = {
      kind: KINDS[what] ?? 'read',
      accountId: world.owner.accountId,
      messageId: messages[post % messages.length] ?? '',
      participant: PEOPLE[who] ?? '',
    };
    const key = `${event.messageId}/${event.participant}`;
    const did = world.doings.get(key) ?? new Set();
    world.doings.set(key, did.add(event.kind).add(event.kind === 'read' ? 'delivered' : event.kind));
    return { ...event, at: new Date(Date.UTC(2031, 0, 1, 0, minute)) };
  });
  const stranger = { ...known[0], messageId: '3EB0NOBODYSENTTHIS' } as MemberEvent;
  await recordReceipts(database.db, [...known, stranger]);
  // A late repetition changes nothing.
  await recordReceipts(database.db, known.toReversed());
}

const COUNTS = ['deliveries', 'queued', 'sent', 'failed', 'cancelled'] as const;
const DOINGS = ['delivered', 'read', 'reactions', 'replies'] as const;
const sumOf = <Row>(rows: readonly Row[], pick: (row: Row) => number) => rows.reduce((sum, row) => sum + pick(row), 0);

function expectToAddUp(analytics: GroupAnalytics) {
  const { totals, groups, timeline } = analytics;
  for (const field of COUNTS)
    expect(
      sumOf(groups, (row) => row[field]),
      field,
    ).toBe(totals[field]);
  for (const field of [...DOINGS, 'recipients'] as const)
    expect(
      sumOf(groups, (row) => row[field] ?? 0),
      field,
    ).toBe(totals[field] ?? 0);
  for (const field of ['queued', 'sent', 'failed', 'cancelled'] as const)
    expect(
      sumOf(analytics.runs, (run) => run[field]),
      `${field} of runs`,
    ).toBe(totals[field]);
  for (const row of [totals, ...groups]) {
    expect(row.queued + row.sent + row.failed + row.cancelled).toBe(row.deliveries);
    expect(row.read ?? 0).toBeLessThanOrEqual(row.delivered ?? 0);
  }
  for (const field of ['sent', 'delivered', 'read'] as const)
    expect(
      sumOf(timeline, (bucket) => bucket[field]),
      `${field} over time`,
    ).toBe(totals[field] ?? 0);
  expect(timeline.length).toBeLessThanOrEqual(200);
}

/** Counts the ledger's rows, receipt by receipt. */
async function countLedger(campaignId: string) {
  const rows = await readRows<Record<(typeof COUNTS)[number] | (typeof DOINGS)[number], number>>(database.db)`
    with delivery as (
      select d.* from campaigns c join runs r on r.campaign_id = c.campaign_id
      join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where c.public_id = ${campaignId}
    ), receipt as (
      select p.flags from delivery d join receipts p on p.workspace_id = d.workspace_id and p.run_id = d.run_id and p.position = d.position
    )
    select count(*) as deliveries, count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'sent') as sent,
           count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'cancelled') as cancelled,
           (select count(*) from receipt where flags & 1 <> 0) as delivered, (select count(*) from receipt where flags & 2 <> 0) as read,
           (select count(*) from receipt where flags & 4 <> 0) as reactions, (select count(*) from receipt where flags & 8 <> 0) as replies
    from delivery`;
  return rows[0];
}

/** Lets everything come to an end: nothing is paused, every try succeeds, and no wait is too long. */
async function comeToRest(world: World): Promise<void> {
  messenger.answer = () => undefined;
  for (const campaign of world.campaigns) await control(world, 'resume', campaign);
  await until(async () => {
    await database.clock.advance({ minutes: 20 });
    const rows = await readRows(database.db)`
        select from runs where workspace_id = ${world.owner.workspaceId} and status in ('planned', 'running') limit 1`;
    return rows.length;
  }, 0);
}

test('agrees in totals, groups, runs, ledger and receipts after any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 25 }),
      fc.array(told, { maxLength: 5 }),
      async (steps, late) => {
        messenger.answer = () => undefined;
        const world: World = { owner: await createOwner(database.db, GROUPS), campaigns: [], doings: new Map() };
        for (const one of steps) {
          await take(world, one);
          for (const campaign of world.campaigns) expectToAddUp(await analyticsOf(database.db, world.owner, campaign));
        }
        await comeToRest(world);
        await tell(world, late);
        const all = { delivered: 0, read: 0, reacted: 0, replied: 0 };
        let sent = 0;
        let acknowledging = 0;
        const reached = new Set<number>();
        for (const campaign of world.campaigns) {
          const analytics = await analyticsOf(database.db, world.owner, campaign);
          expectToAddUp(analytics);
          const { totals, groups } = analytics;
          expect(totals).toMatchObject({ ...(await countLedger(campaign)), queued: 0 });
          for (const group of groups)
            for (const field of DOINGS) expect(group[field] ?? 0, field).toBeLessThanOrEqual(group.recipients);
          all.delivered += totals.delivered ?? 0;
          all.read += totals.read ?? 0;
          all.reacted += totals.reactions ?? 0;
          all.replied += totals.replies ?? 0;
          sent += totals.sent;
          acknowledging += totals.acknowledging;
          for (const { groupId } of groups.filter((group) => group.sent > 0)) reached.add(groupId);
        }
        for (const kind of KINDS)
          expect(all[kind], kind).toBe([...world.doings.values()].filter((did) => did.has(kind)).length);
        const { totals, daily } = await readOverview({ db: database.db, timeZone: 'UTC' }, world.owner, 366);
        expect(totals).toMatchObject({
          sent,
          delivered: all.delivered,
          read: all.read,
          acknowledging,
          groups: reached.size,
        });
        expect(sumOf(daily, (day) => day.sent)).toBe(sent);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});
