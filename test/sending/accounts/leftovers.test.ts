/** What a used up daily cap leaves over: it leaves at the hour of day of its plan, after the posts of the day. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { updateAccount, type SendWindowChange } from '../../../src/sending/accounts/update-account.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { estimateFinish } from '../../../src/sending/campaigns/read/estimate-finish.ts';
import { findWait } from '../../../src/sending/campaigns/read/find-wait.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { recordWaits } from '../../../src/sending/senders/watch-waits.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

/** An owner with rules, and groups, as of that time. */
async function createRuled(at: string, groups: number, rules: SendWindowChange): Promise<Owner> {
  await database.clock.set(at);
  const owner = await createOwner(database.db, groups);
  await updateAccount({ db: database.db, timeZone: 'UTC' }, owner, rules);
  return owner;
}

interface Day {
  date: string;
  time?: string;
  timeZone?: string;
  groups?: number;
}

/** Schedules a campaign of one day, at nine in UTC unless given. */
const plan = (owner: Owner, { date, time = '09:00:00', timeZone = 'UTC', groups }: Day) =>
  schedule(database.db, owner, {
    startDate: date,
    endDate: date,
    time,
    timeZone,
    weekdays: null,
    skipDates: [],
    ...(groups !== undefined && { groupIds: owner.groupIds.slice(0, groups) }),
  });

/** Sends all that may leave at an instant, which is after all that was done before. Returns how many posts of each campaign left, in the order of their first. */
async function sendAt(owner: Owner, at: string): Promise<Record<string, number>> {
  await database.clock.set(at);
  while ((await beginDueRuns(database.db, EVERY_SHARD)) === 0);
  const left: Record<string, number> = {};
  for (let turn = await turns.tryClaim(owner, { batch: 1 }); turn; turn = await turns.tryClaim(owner, { batch: 1 })) {
    const rows = await readRows<{ id: string }>(database.db)`
      select c.public_id as id from runs r join campaigns c using (campaign_id) where r.run_id = ${turn.runId}`;
    const id = rows[0]?.id ?? '';
    left[id] = (left[id] ?? 0) + turn.deliveries.length;
    await turns.finish(
      turn,
      turn.deliveries.map(() => sent),
    );
  }
  return left;
}

async function waitOf(owner: Owner, campaignId: string) {
  await execute(database.db)`update workers set beat_at = campanile_now()`;
  const deps = { db: database.db, timeZone: 'UTC' };
  return findWait(deps, await getCampaign(database, owner, campaignId));
}

test('leaves at the hour of its plan on the next day, after the posts of that day', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 6, { dailyCap: 4 });
  const first = await plan(owner, { date: '2031-03-03' });
  const second = await plan(owner, { date: '2031-03-04', groups: 3 });
  expect(await sendAt(owner, '2031-03-03T09:00:00Z')).toEqual({ [first]: 4 });
  expect(await sendAt(owner, '2031-03-04T00:00:05Z')).toEqual({});
  expect(await sendAt(owner, '2031-03-04T08:59:59Z')).toEqual({});
  const today = await sendAt(owner, '2031-03-04T09:00:00Z');
  expect(Object.entries(today)).toEqual([
    [second, 3],
    [first, 1],
  ]);
});

test('of several plans the newest goes first', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 4, { dailyCap: 4 });
  const [one, two] = [
    await plan(owner, { date: '2031-03-03' }),
    await plan(owner, { date: '2031-03-03', time: '09:01:00' }),
  ];
  await sendAt(owner, '2031-03-03T09:00:00Z');
  expect(await sendAt(owner, '2031-03-03T09:01:00Z')).toEqual({});
  const three = await plan(owner, { date: '2031-03-03', time: '10:00:00', groups: 3 });
  expect(await sendAt(owner, '2031-03-03T10:00:00Z')).toEqual({});
  expect(await sendAt(owner, '2031-03-04T10:00:00Z')).toEqual({ [three]: 3, [two]: 1 });
  expect(one).not.toBe(two);
});

test('keeps the hour in the time zone of the schedule, also over a change of clocks', async () => {
  const owner = await createRuled('2031-03-08T08:00:00Z', 3, { dailyCap: 2 });
  const campaign = await plan(owner, { date: '2031-03-08', timeZone: 'America/New_York' });
  expect(await sendAt(owner, '2031-03-08T14:00:00Z')).toEqual({ [campaign]: 2 });
  expect(await sendAt(owner, '2031-03-09T12:59:59Z')).toEqual({});
  expect(await sendAt(owner, '2031-03-09T13:00:00Z')).toEqual({ [campaign]: 1 });
});

test('of a plan in quiet hours leaves when these end', async () => {
  const owner = await createRuled('2031-03-03T20:00:00Z', 3, {
    dailyCap: 2,
    quietHours: { from: '22:00', to: '07:00' },
  });
  const campaign = await plan(owner, { date: '2031-03-03', time: '23:00:00' });
  expect(await sendAt(owner, '2031-03-03T23:00:00Z')).toEqual({});
  expect(await sendAt(owner, '2031-03-04T07:00:00Z')).toEqual({ [campaign]: 2 });
  expect(await sendAt(owner, '2031-03-05T06:59:59Z')).toEqual({});
  expect(await sendAt(owner, '2031-03-05T07:00:00Z')).toEqual({ [campaign]: 1 });
});

test('is not what a run under way sends after midnight, while no cap has held it back', async () => {
  const owner = await createRuled('2031-03-03T20:00:00Z', 4, { dailyCap: 3 });
  const campaign = await plan(owner, { date: '2031-03-03', time: '23:59:00' });
  await database.clock.set('2031-03-03T23:59:00Z');
  while ((await beginDueRuns(database.db, EVERY_SHARD)) === 0);
  await turns.finish(await turns.claim(owner, { batch: 2 }), [sent, sent]);
  expect(await sendAt(owner, '2031-03-04T00:00:05Z')).toEqual({ [campaign]: 2 });
});

test('leaves at once when the cap of its account is raised', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 6, { dailyCap: 4 });
  const campaign = await plan(owner, { date: '2031-03-03' });
  await sendAt(owner, '2031-03-03T09:00:00Z');
  await database.clock.set('2031-03-04T01:00:00Z');
  await updateAccount({ db: database.db, timeZone: 'UTC' }, owner, { dailyCap: 20 });
  expect(await sendAt(owner, '2031-03-04T01:05:00Z')).toEqual({ [campaign]: 2 });
});

test('holds back nothing else: a post for now leaves meanwhile, and the account sleeps until the hour', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 6, { dailyCap: 4 });
  await plan(owner, { date: '2031-03-03' });
  await sendAt(owner, '2031-03-03T09:00:00Z');
  await database.clock.set('2031-03-04T08:50:00Z');
  const now = await sendNow(database.db, owner, owner.groupIds.slice(0, 1));
  expect(await sendAt(owner, '2031-03-04T08:55:00Z')).toEqual({ [now]: 1 });
  const rows = await readRows<{ wakeAt: Date }>(database.db)`
    select wake_at as "wakeAt" from lanes where account_id = ${owner.accountId}`;
  expect(rows[0]?.wakeAt).toEqual(new Date('2031-03-04T09:00:00Z'));
});

test('that is due for another attempt keeps no account awake before its hour', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 2, { dailyCap: 1 });
  const campaign = await plan(owner, { date: '2031-03-03' });
  await database.clock.set('2031-03-03T09:00:00Z');
  while ((await beginDueRuns(database.db, EVERY_SHARD)) === 0);
  const unknown = { kind: 'retry', waitMs: 1_000, reason: 'broke off', uncertain: true } as const;
  await turns.finish(await turns.claim(owner), [unknown]);
  expect(await sendAt(owner, '2031-03-04T08:50:00Z')).toEqual({});
  const rows = await readRows<{ sleeps: boolean }>(database.db)`
    select wake_at > campanile_now() as sleeps from lanes where account_id = ${owner.accountId}`;
  expect(rows[0]?.sleeps).toBe(true);
  expect(await sendAt(owner, '2031-03-04T09:00:00Z')).toEqual({ [campaign]: 1 });
});

test('is told as waiting for the hour of its plan, and never as unexplained', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 6, { dailyCap: 4 });
  const campaign = await plan(owner, { date: '2031-03-03' });
  await sendAt(owner, '2031-03-03T09:00:00Z');
  const hour = { reason: 'daily_cap', until: new Date('2031-03-04T09:00:00Z') };
  expect(await waitOf(owner, campaign)).toMatchObject(hour);
  await sendAt(owner, '2031-03-04T01:00:00Z');
  expect(await waitOf(owner, campaign)).toMatchObject(hour);
  await recordWaits(database.db, EVERY_SHARD, 'UTC');
  const rows = await readRows<{ reason: string }>(database.db)`
    select waits_reason as reason from accounts where account_id = ${owner.accountId}`;
  expect(rows).toEqual([{ reason: 'daily_cap' }]);
  const gaps = { sandbox: { minMs: 0, maxMs: 0 } };
  const { at } = await estimateFinish({ db: database.db, timeZone: 'UTC', gaps }, owner, campaign);
  expect(at?.toISOString().slice(0, 16)).toBe('2031-03-04T09:00');
});

test('is of the account with the cap alone: another one goes on with its posts of the same run', async () => {
  const owner = await createRuled('2031-03-03T08:00:00Z', 4, { dailyCap: 1 });
  const second = await addAccount(database.db, owner);
  for (const groupId of owner.groupIds.slice(2)) await setSenders(database.db, owner, [second], groupId);
  await updateAccount({ db: database.db, timeZone: 'UTC' }, owner, { dailyCap: 5, accountId: second });
  const other = { ...owner, accountId: second };
  const campaign = await plan(owner, { date: '2031-03-03' });
  expect(await sendAt(owner, '2031-03-03T09:00:00Z')).toEqual({ [campaign]: 1 });
  expect(await sendAt(owner, '2031-03-04T01:00:00Z')).toEqual({});
  expect(await sendAt(other, '2031-03-04T01:05:00Z')).toEqual({ [campaign]: 2 });
  expect(await sendAt(owner, '2031-03-04T09:00:00Z')).toEqual({ [campaign]: 1 });
});
