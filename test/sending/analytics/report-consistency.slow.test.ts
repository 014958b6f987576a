/**
 * Property test: the report on any span adds up with a plain count of the deliveries, with the overview and with the analytics of each
 * campaign, whatever was rolled up, folded or deleted meanwhile. `FUZZ_RUNS` lengthens it.
 */
import fc from 'fast-check';
import { execute, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { listDates } from '../../../src/sending/campaigns/occurrences.ts';
import { readOverview } from '../../../src/sending/analytics/read-overview.ts';
import { readReport, type Report } from '../../../src/sending/analytics/report/read-report.ts';
import { planSpan, readSpan } from '../../../src/sending/analytics/report/read-span.ts';
import { reportSpan } from '../../../src/sending/analytics/report/report-span.ts';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { compactOldCampaigns } from '../../../src/sending/campaigns/roll-up/compact-old-campaigns.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { saveGroupList } from '../../../src/sending/groups/group-lists.ts';
import { updateActivity } from '../../../src/sending/groups/update-activity.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  convert,
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
const GROUPS = 5;
const ZONES = ['UTC', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu'];
const FIRST_DAY = '2031-03-07';

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

/** One delivery as it was before anything was folded. */
interface Fact {
  campaignId: string;
  runId: number;
  startedAt: Date;
  groupId: number;
  isChannel: boolean;
  sent: number;
  failed: number;
  recipients: number;
  delivered: number;
  read: number;
  reactions: number;
}

async function readFacts({ workspaceId }: Owner): Promise<Fact[]> {
  const rows = await readRows<Fact>(database.db)`
    select c.public_id as "campaignId", r.run_id as "runId", r.started_at as "startedAt", d.group_id as "groupId", g.kind = 'channel' as "isChannel",
           (d.status = 'sent')::int as sent, (d.status = 'failed')::int as failed,
           case when d.status = 'sent' then greatest(d.recipients, d.delivered, d.reactions, d.replies) else 0 end as recipients,
           d.delivered, d.read, d.reactions
    from deliveries d join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id
    join campaigns c on c.campaign_id = r.campaign_id join groups g on g.group_id = d.group_id
    where d.workspace_id = ${workspaceId} and not c.is_test`;
  return rows;
}

const choice = fc.nat({ max: 1_000 });
const campaign = fc.record({
  day: fc.nat({ max: 6 }),
  hour: fc.nat({ max: 23 }),
  /** More than one day: a schedule to all groups. */
  days: fc.integer({ min: 1, max: 4 }),
  groups: fc.uniqueArray(fc.nat({ max: GROUPS - 1 }), { minLength: 1 }),
  fails: fc.array(fc.nat({ max: GROUPS - 1 }), { maxLength: 2 }),
  isTest: fc.boolean(),
  reads: fc.array(choice, { maxLength: 6 }),
});
const question = fc.record({
  zone: fc.constantFrom(...ZONES),
  first: fc.nat({ max: 12 }),
  days: fc.integer({ min: 1, max: 14 }),
  campaign: fc.option(choice),
  list: fc.option(fc.uniqueArray(fc.nat({ max: GROUPS - 1 }), { minLength: 1 })),
});
type Planned = typeof campaign extends fc.Arbitrary<infer T> ? T : never;
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const sumOf = <Row>(rows: readonly Row[], pick: (row: Row) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
const dateAfter = (days: number) => Temporal.PlainDate.from(FIRST_DAY).add({ days });

/** Runs all steps to their end. */
async function exhaust(...steps: Array<(db: Database) => Promise<boolean>>): Promise<void> {
  for (const step of steps) await until(() => step(database.db), false);
}

async function rest({ workspaceId }: Owner): Promise<void> {
  await until(async () => {
    const rows = await readRows(database.db)`
        select from runs where workspace_id = ${workspaceId} and (status = 'running' or status = 'planned' and due_at <= campanile_now()) limit 1`;
    return rows.length;
  }, 0);
}

/** Sends one after the other, oldest first, with their receipts; resolves to their ids. */
async function send(owner: Owner, planned: readonly Planned[]): Promise<string[]> {
  const ids: string[] = [];
  const times = planned.map((one) => ({
    ...one,
    at: dateAfter(one.day).toZonedDateTime({ timeZone: 'UTC', plainTime: { hour: one.hour } }),
  }));
  times.sort((one, other) => Temporal.ZonedDateTime.compare(one.at, other.at));
  const pick = (indexes: readonly number[]) => indexes.map((index) => owner.groupIds[index] ?? 0);
  for (const one of times) {
    await database.clock.set(new Date(one.at.epochMilliseconds).toISOString());
    await rest(owner);
    let next = 0;
    messenger.answer = () =>
      one.fails.includes(next++ % GROUPS)
        ? { kind: 'refused', reason: 'not a member', final: true }
        : { kind: 'sent', recipients: next % 4 };
    const groupIds = pick(one.groups);
    const post = { name: 'Test', description: '', html: 'Hello', image: null, isChannelCampaign: false };
    if (one.isTest && one.days === 1)
      await addCampaign({ db: database.db, convert }, owner, { ...post, groupIds, scheduleTime: null, isTest: true });
    else if (one.days === 1) ids.push(await sendNow(database.db, owner, groupIds));
    else {
      const [startDate, endDate] = [one.at.toPlainDate(), one.at.toPlainDate().add({ days: one.days - 1 })].map(String);
      const time = one.at.add({ seconds: 1 }).toPlainTime().toString();
      ids.push(await schedule(database.db, owner, { startDate: startDate ?? '', endDate: endDate ?? '', time }));
      await database.clock.advance({ seconds: 2 });
    }
    await rest(owner);
    await readSome(owner, one.reads);
  }
  for (let day = 0; day < 5; day++) {
    await database.clock.advance({ days: 1 });
    await rest(owner);
  }
  return ids;
}

async function readSome({ accountId, workspaceId }: Owner, reads: readonly number[]): Promise<void> {
  const rows = await readRows<{ messageId: string }>(database.db)`
    select d.message_id as "messageId" from deliveries d join groups g on g.group_id = d.group_id
    where d.workspace_id = ${workspaceId} and d.status = 'sent' and g.kind <> 'channel' order by d.run_id, d.position`;
  if (rows.length === 0) return;
  const events = reads.map((number) => ({
    kind: (['read', 'reacted', 'delivered'] as const)[number % 3] ?? 'read',
    accountId,
    messageId: rows[number % rows.length]?.messageId ?? '',
    participant: `p${number % 5}`,
    at: new Date('2031-03-20T00:00:00Z'),
  }));
  await recordReceipts(database.db, events);
}

/** Checks the report that answers a question, by counting the facts. */
async function expectToAddUp(
  owner: Owner,
  world: { facts: Fact[]; ids: string[]; folded: Set<string> },
  asked: Question,
) {
  const { db } = database;
  await execute(db)`update users set time_zone = ${asked.zone} where user_id = ${owner.userId}`;
  const [first, last] = [dateAfter(asked.first), dateAfter(asked.first + asked.days - 1)];
  const campaignId = asked.campaign === null ? undefined : world.ids[asked.campaign % world.ids.length];
  const listed = asked.list?.map((index) => owner.groupIds[index] ?? 0);
  const groupListId =
    listed && (await saveGroupList({ db }, owner, { name: 'List', groupIds: listed, groupListId: null }));
  const report = await readReport({ db, timeZone: 'UTC' }, owner, {
    startDate: String(first),
    endDate: String(last),
    campaignId,
    groupListId,
  });
  const days = listDates(first, asked.days, asked.zone);
  const [beginsAt, endsAt] = [days[0]?.beginsAt ?? NaN, days.at(-1)?.endsAt ?? NaN];
  const isIn = (fact: Fact) => fact.startedAt >= beginsAt && fact.startedAt < endsAt;
  const about = world.facts.filter((fact) => campaignId === undefined || fact.campaignId === campaignId);
  const within = about.filter(
    (fact) => isIn(fact) && (!listed || (listed.includes(fact.groupId) && !world.folded.has(fact.campaignId))),
  );
  expectTotals(report, within);
  const cut = new Set(
    about.filter((fact) => !isIn(fact) && world.folded.has(fact.campaignId)).map((fact) => fact.campaignId),
  );
  expectGroups(report, listed ? within : within.filter((fact) => !cut.has(fact.campaignId)));
  const unknown = about.filter(
    (fact) =>
      isIn(fact) &&
      (listed ? listed.includes(fact.groupId) && world.folded.has(fact.campaignId) : cut.has(fact.campaignId)),
  );
  expect(report.unknownRuns).toBe(new Set(unknown.map(({ runId }) => runId)).size);
  for (const [index, day] of days.entries())
    expect(report.daily[index]).toMatchObject({
      date: day.date,
      sent: sumOf(
        within.filter(({ startedAt }) => startedAt >= day.beginsAt && startedAt < day.endsAt),
        ({ sent }) => sent,
      ),
    });
}

function expectTotals({ totals, daily, hours }: Report, within: readonly Fact[]) {
  const rated = within.filter(({ isChannel }) => !isChannel);
  expect(totals).toMatchObject({
    runs: new Set(within.map(({ runId }) => runId)).size,
    sent: sumOf(within, ({ sent }) => sent),
    failed: sumOf(within, ({ failed }) => failed),
    delivered: sumOf(within, ({ delivered }) => delivered),
    read: sumOf(within, ({ read }) => read),
    acknowledging: sumOf(rated, ({ recipients }) => recipients),
  });
  for (const field of ['runs', 'sent', 'failed', 'delivered', 'read', 'acknowledging'] as const)
    expect(
      sumOf(daily, (day) => day[field]),
      `${field} of the days`,
    ).toBe(totals[field]);
  const ratedRuns = Map.groupBy(rated, ({ runId }) => runId)
    .values()
    .filter((facts) => sumOf([...facts], ({ recipients }) => recipients) > 0);
  expect(sumOf(hours.times, (time) => time.runs)).toBe([...ratedRuns].length);
}

function expectGroups({ groups, totals }: Report, facts: readonly Fact[]) {
  const expected = [...Map.groupBy(facts, ({ groupId }) => groupId)]
    .map(([groupId, own]) => ({
      groupId,
      sent: sumOf(own, ({ sent }) => sent),
      failed: sumOf(own, ({ failed }) => failed),
      recipients: sumOf(own, ({ recipients }) => recipients),
      read: sumOf(own, ({ read }) => read),
      reactions: sumOf(own, ({ reactions }) => reactions),
    }))
    .filter(({ sent, failed }) => sent + failed > 0);
  const byId = (one: { groupId: number }, other: { groupId: number }) => one.groupId - other.groupId;
  expect(groups.toSorted(byId)).toMatchObject(expected.toSorted(byId));
  expect(totals.groups).toBe(expected.filter(({ sent }) => sent > 0).length);
  const silent = expected.filter(
    ({ sent, recipients, read, reactions }) => sent > 0 && recipients > 0 && read + reactions === 0,
  );
  const channels = new Set(facts.filter(({ isChannel }) => isChannel).map(({ groupId }) => groupId));
  expect(
    groups
      .filter(({ isSilent }) => isSilent)
      .map(({ groupId }) => groupId)
      .toSorted(),
  ).toEqual(
    silent
      .map(({ groupId }) => groupId)
      .filter((id) => !channels.has(id))
      .toSorted(),
  );
}

test('adds up over any span with the deliveries, the overview and the analytics of campaigns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(campaign, { minLength: 2, maxLength: 8 }),
      fc.array(question, { minLength: 10, maxLength: 10 }),
      choice,
      async (planned, questions, deleted) => {
        await database.clock.set(`${FIRST_DAY}T00:00:00Z`);
        const owner = await createOwner(database.db, GROUPS);
        await execute(database.db)`update groups set kind = 'channel' where group_id = ${owner.groupIds[0]}`;
        const sent = await send(owner, planned);
        const [gone] = sent.length > 1 ? sent.splice(deleted % sent.length, 1) : [];
        if (gone !== undefined) await deleteCampaign({ db: database.db }, owner, gone);
        if (sent.length === 0) return;
        const facts = (await readFacts(owner)).filter((fact) => fact.campaignId !== gone);
        const world = { facts, ids: sent, folded: new Set<string>() };
        const askAll = async () => {
          for (const asked of questions) await expectToAddUp(owner, world, asked);
          await expectSameAsOthers(owner, sent);
        };
        await askAll();
        await exhaust((db) => rollUpRuns(db));
        await askAll();
        await database.clock.advance({ days: 95 });
        await exhaust((db) => updateActivity(db), foldReceipts);
        await foldSome(owner);
        const rows = await readRows<{ id: string }>(database.db)`
          select public_id as id from campaigns where workspace_id = ${owner.workspaceId} and folded_at is not null`;
        world.folded = new Set(rows.map(({ id }) => id));
        await askAll();
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test.each([
  ['all groups', () => null],
  ['some groups', (groupIds: readonly number[]) => groupIds.slice(1, 3)],
])('about %s says which runs it lacks if their campaign is folded while it is read', async (_which, choose) => {
  const { db, clock } = database;
  await clock.set(`${FIRST_DAY}T00:00:00Z`);
  const owner = await createOwner(db, GROUPS);
  await send(owner, [{ day: 0, hour: 9, days: 2, groups: [0], fails: [], isTest: false, reads: [1, 4, 7] }]);
  await exhaust((each) => rollUpRuns(each));
  await clock.advance({ days: 95 });
  await exhaust((each) => updateActivity(each), foldReceipts);
  const scope = { workspaceId: owner.workspaceId, campaignId: null, groupIds: choose(owner.groupIds), tag: null };
  const span = reportSpan(FIRST_DAY, FIRST_DAY, 'UTC');
  const planned = await planSpan((work) => work(db), scope, { span, withGroups: true });
  const before = await readSpan((work) => work(db), scope, planned);
  expect(before).toMatchObject({ unknownRuns: 0, quarters: [{ runs: 1, sent: scope.groupIds?.length ?? GROUPS }] });
  let steps = 0;
  const report = await readSpan(
    async (work) => {
      const result = await work(db);
      // Its runs have been read, and not yet its posts.
      if (++steps === 1) await exhaust((each) => compactOldCampaigns(each, 90));
      return result;
    },
    scope,
    planned,
  );
  expect(report).toMatchObject({ groups: [], unknownRuns: 1 });
  // The figures of the run itself are kept; those of some of its groups are not.
  expect(report.quarters).toEqual(scope.groupIds ? [] : before.quarters);
});

/** Folds every second of the campaigns, by letting the others end later. */
async function foldSome({ workspaceId }: Owner): Promise<void> {
  await execute(database.db)`
    update campaigns set finished_at = finished_at + interval '50 days' where workspace_id = ${workspaceId} and campaign_id % 2 = 0`;
  await exhaust((db) => compactOldCampaigns(db, 90));
}

async function expectSameAsOthers(owner: Owner, campaigns: readonly string[]): Promise<void> {
  const { db } = database;
  const deps = { db, timeZone: 'UTC' };
  await execute(db)`update users set time_zone = null where user_id = ${owner.userId}`;
  const { totals, daily, previous } = await readOverview(deps, owner, 180, { withPrevious: true });
  const span = { startDate: daily[0]?.date ?? '', endDate: daily.at(-1)?.date ?? '' };
  const report = await readReport(deps, owner, span);
  const { campaigns: _campaigns, ...sums } = totals;
  expect(report.totals).toMatchObject(sums);
  const none = { campaigns: 0, groups: 0, missedRuns: 0 };
  const { campaigns: _before, groups: _groups, missedRuns: _missed, ...sumsBefore } = previous ?? none;
  expect(report.previous).toMatchObject(sumsBefore);
  for (const campaignId of campaigns) {
    const analytics = await analyticsOf(db, owner, campaignId);
    const own = await readReport(deps, owner, { ...span, campaignId });
    const { sent, failed, recipients, delivered, read, reactions, replies, acknowledging } = analytics.totals;
    expect(own.totals).toMatchObject({
      sent,
      failed,
      recipients,
      reactions,
      acknowledging,
      delivered: delivered ?? 0,
      read: read ?? 0,
      replies: replies ?? 0,
    });
  }
}
