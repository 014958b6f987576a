/** What is said of a campaign that several accounts of a workspace send: caps, estimates, waits and shares count each of them. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { updateAccount } from '../../../src/sending/accounts/update-account.ts';
import { checkCampaign, type CampaignDraft } from '../../../src/sending/campaigns/accept/check-campaign.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { estimateFinish } from '../../../src/sending/campaigns/read/estimate-finish.ts';
import { findWait, type Wait } from '../../../src/sending/campaigns/read/find-wait.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { readGroupAnalytics } from '../../../src/sending/analytics/group-analytics.ts';
import { useTestDatabase } from '../../support/database.ts';
import { convert, createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { addAccount, banAccount, setSenders } from '../../support/several-accounts.ts';

const GAP_S = 30;
const GAP = { minMs: GAP_S * 1_000, maxMs: GAP_S * 1_000 };

let owner: Owner;
let first: AccountId;
let second: AccountId;

const database = await useTestDatabase();
await execute(database.db)`insert into workers (name) values ('test')`;
await execute(database.db)`update shards set worker_id = (select max(worker_id) from workers)`;
beforeEach(async () => {
  await database.clock.set('2031-06-02T12:00:00Z');
  await execute(database.db)`update workers set beat_at = campanile_now()`;
  // The first account sends to three groups, the second to five.
  owner = await createOwner(database.db, 8);
  first = owner.accountId;
  second = await addAccount(database.db, owner);
  for (const groupId of owner.groupIds.slice(3)) await setSenders(database.db, owner, [second, first], groupId);
});

const deps = () => ({ db: database.db, timeZone: 'UTC', convert, gaps: { sandbox: GAP } });

const POST = { name: 'Test', description: '', html: 'Checked', image: null, isChannelCampaign: false };

function checkNow(groupIds: readonly number[] = owner.groupIds) {
  return checkCampaign(deps(), owner, {
    when: 'now',
    post: { ...POST, groupIds, scheduleTime: null },
  } as CampaignDraft);
}

function checkOn(startDate: string, endDate = startDate, time = '09:00:00') {
  const dates = { startDate, endDate, time, timeZone: null, weekdays: null, skipDates: [] };
  const post = { ...POST, groupIds: owner.groupIds, ...dates };
  return checkCampaign(deps(), owner, { when: 'scheduled', post } as CampaignDraft);
}

const planOn = (date: string, groupIds = owner.groupIds) =>
  schedule(database.db, { ...owner, groupIds }, { startDate: date, endDate: date, time: '23:00:00' });

const setRules = (accountId: AccountId, rules: Parameters<typeof updateAccount>[2]) =>
  updateAccount({ db: database.db, timeZone: 'UTC' }, owner, { accountId, ...rules });

async function capsOf(check: ReturnType<typeof checkNow>): Promise<unknown[]> {
  const { warnings } = await check;
  const isAbout = (code: string) => code === 'over_daily_cap' || code === 'daily_cap_leaves_out';
  return warnings.filter(({ code }) => isAbout(code)).map(({ params }) => params);
}

describe('a check', () => {
  test('holds the share of each account against its own cap, with its share of planned runs', async () => {
    await setRules(first, { dailyCap: 3 });
    await setRules(second, { dailyCap: 5 });
    expect(await capsOf(checkNow())).toEqual([]);
    await planOn('2031-06-02');
    await setRules(first, { dailyCap: 6 });
    await setRules(second, { dailyCap: 10 });
    expect(await capsOf(checkNow())).toEqual([]);
    await setRules(second, { dailyCap: 9 });
    expect(await capsOf(checkNow())).toMatchObject([{ account_id: second, date: '2031-06-02', cap: 9, posts: 10 }]);
    expect(await capsOf(checkNow(owner.groupIds.slice(0, 3)))).toEqual([]);
    await setRules(second, { dailyCap: null });
    await setRules(first, { dailyCap: 5 });
    expect(await capsOf(checkNow())).toMatchObject([{ account_id: first, date: '2031-06-02', cap: 5, posts: 6 }]);
  });

  test('names each account that has too much to send, in the order of accounts', async () => {
    await planOn('2031-06-03', owner.groupIds.slice(3));
    await planOn('2031-06-04', owner.groupIds.slice(0, 3));
    await setRules(first, { dailyCap: 3 });
    await setRules(second, { dailyCap: 9 });
    expect(await capsOf(checkOn('2031-06-03', '2031-06-04'))).toEqual([
      { account_id: first, account: 'sandbox', date: '2031-06-04', cap: 3, posts: 6 },
      { account_id: second, account: expect.stringMatching(/^Account /), date: '2031-06-03', cap: 9, posts: 10 },
    ]);
  });

  test('names each account that is not connected, or warms up', async () => {
    await setRules(first, { warmUp: true });
    await setRules(second, { warmUp: true });
    await execute(database.db)`
      update accounts set status = 'reconnecting' where workspace_id = ${owner.workspaceId}`;
    const slow = { ...GAP, warmUp: { minMs: 60_000, maxMs: 90_000 } };
    const draft = { when: 'now', post: { ...POST, groupIds: owner.groupIds, scheduleTime: null } } as CampaignDraft;
    const { warnings } = await checkCampaign({ ...deps(), gaps: { sandbox: slow } }, owner, draft);
    const [one, other] = [
      { account_id: first, account: 'sandbox' },
      { account_id: second, account: expect.stringMatching(/^Account /) },
    ];
    const about = (code: string) => warnings.filter((warning) => warning.code === code);
    expect(about('account_not_connected').map(({ params }) => params)).toMatchObject([one, other]);
    expect(about('warm_up_pace')).toMatchObject([
      { message: expect.stringMatching(/^The account “sandbox” is warming up/), params: one },
      { params: other },
    ]);
  });

  test('counts a planned run for the account that its campaign names', async () => {
    await setRules(second, { dailyCap: 5 });
    expect(await capsOf(checkNow())).toEqual([]);
    const campaignId = await planOn('2031-06-02');
    await execute(database.db)`
      update contents set extras = jsonb_build_object('accountId', ${first}::bigint)
      where campaign_id = (select campaign_id from campaigns where public_id = ${campaignId})`;
    expect(await capsOf(checkNow())).toEqual([]);
    await setRules(first, { dailyCap: 10 });
    expect(await capsOf(checkNow())).toMatchObject([{ account_id: first, date: '2031-06-02', cap: 10, posts: 11 }]);
  });

  test('expects the end when the slowest account has sent, after its share of planned runs', async () => {
    expect((await checkOn('2031-06-03')).expectedSeconds).toBe(4 * GAP_S + 1);
    await schedule(database.db, owner, { startDate: '2031-06-03', endDate: '2031-06-03', time: '09:00:00' });
    // Five posts of each campaign, in turns.
    expect((await checkOn('2031-06-03')).expectedSeconds).toBe(9 * GAP_S + 1);
  });

  test('passes over a stand-in that rests when the run is due', async () => {
    const third = await addAccount(database.db, owner);
    for (const groupId of owner.groupIds) await setSenders(database.db, owner, [second, third, first], groupId);
    await banAccount(database.db, second);
    await setRules(third, { quietHours: { from: '11:00', to: '13:00' } });
    await setRules(first, { dailyCap: 1 });
    expect(await capsOf(checkNow())).toMatchObject([{ account_id: first, date: '2031-06-02', cap: 1, posts: 8 }]);
    expect(await capsOf(checkOn('2031-06-02', '2031-06-02', '12:30:00'))).toHaveLength(1);
    // By then the third account sends again.
    expect(await capsOf(checkOn('2031-06-02', '2031-06-02', '14:00:00'))).toEqual([]);
    await setRules(third, { quietHours: null, dailyCap: 2 });
    await execute(database.db)`
      update lanes set sent_slot = quarter_hour(campanile_now()), sent_in_slot = 2 where account_id = ${third}`;
    expect(await capsOf(checkNow()), 'its cap is used up').toMatchObject([
      { account_id: first, date: '2031-06-02', cap: 1, posts: 8 },
    ]);
    expect(await capsOf(checkOn('2031-06-03'))).toMatchObject([
      { account_id: third, date: '2031-06-03', cap: 2, posts: 8 },
    ]);
  });
});

describe('a planned run', () => {
  test('waits while no account can send, and is then sent by the first that can, although the owner is to be asked', async () => {
    const { db } = database;
    const campaignId = await planOn('2031-06-03');
    const become = (accountId: AccountId, status: string) =>
      execute(db)`update accounts set status = ${status} where account_id = ${accountId}`;
    await become(first, 'logged_out');
    await become(second, 'unlinked');
    await database.clock.set('2031-06-03T23:00:01Z');
    await beginDueRuns(db, [owner.workspaceId & 255]);
    expect((await getCampaign(database, owner, campaignId)).runs).toMatchObject([{ status: 'planned' }]);
    await become(second, 'connected');
    await beginDueRuns(db, [owner.workspaceId & 255]);
    expect((await getCampaign(database, owner, campaignId)).runs).toMatchObject([{ status: 'running', queued: 8 }]);
    const rows = await readRows(db)`
      select distinct account_id from deliveries where workspace_id = ${owner.workspaceId}`;
    expect(rows).toEqual([{ account_id: second }]);
  });
});

describe('a running campaign', () => {
  async function waitOf(campaignId: string): Promise<Wait | undefined> {
    return findWait(deps(), await getCampaign(deps(), owner, campaignId));
  }
  const until = (hour: number) => new Date(`2031-06-02T${hour}:00:00Z`);

  test('waits for the account that rests, and has posts of it to send', async () => {
    const both = await sendNow(database.db, owner);
    const ofFirst = await sendNow(database.db, owner, owner.groupIds.slice(0, 2));
    expect(await waitOf(both)).toBeUndefined();
    await setRules(second, { quietHours: { from: '11:00', to: '13:00' } });
    expect(await waitOf(both)).toMatchObject({ accountId: second, reason: 'quiet_hours', until: until(13) });
    expect(await waitOf(ofFirst)).toBeUndefined();
    await setRules(first, { quietHours: { from: '11:00', to: '15:00' } });
    expect(await waitOf(both), 'the one that rests longest').toMatchObject({
      accountId: first,
      reason: 'quiet_hours',
      until: until(15),
    });
    expect(await waitOf(ofFirst)).toMatchObject({ accountId: first });
    await execute(database.db)`
      update deliveries set status = 'sent', sent_at = campanile_now() where account_id = ${first}`;
    await execute(database.db)`
      update runs set queued = 5, sent = 3 where workspace_id = ${owner.workspaceId} and targets = 8`;
    expect(await waitOf(both)).toMatchObject({ accountId: second });
  });

  test('waits for an account whose posts are all tried again later', async () => {
    const campaign = await sendNow(database.db, owner);
    await execute(database.db)`
      update deliveries set not_before = campanile_now() + interval '1 minute', attempts = 1 where account_id = ${second}`;
    await setRules(second, { quietHours: { from: '11:00', to: '13:00' } });
    expect(await waitOf(campaign)).toMatchObject({ accountId: second });
    await execute(database.db)`
      update deliveries set status = 'sent', sent_at = campanile_now() where account_id = ${first}`;
    await execute(database.db)`update runs set queued = 5, sent = 3 where workspace_id = ${owner.workspaceId}`;
    await setRules(first, { quietHours: { from: '11:00', to: '15:00' } });
    expect(await waitOf(campaign), 'the other has sent all of its posts').toMatchObject({ accountId: second });
  });

  test('has shares that add up to its totals', async () => {
    await execute(database.db)`update groups set kind = 'channel' where group_id = ${owner.groupIds.at(-1)}`;
    const campaignId = await sendNow(database.db, owner);
    await execute(database.db)`
      update deliveries set status = 'sent', sent_at = campanile_now(), attempts = 1, recipients = position, delivered = position + position % 2,
             read = position / 2, replies = position + 2 * (position % 3), reactions = 3
      where workspace_id = ${owner.workspaceId} and position <> 4`;
    await execute(database.db)`
      update deliveries set status = 'failed', error = 'gone' where workspace_id = ${owner.workspaceId} and position = 4`;
    await execute(database.db)`
      update runs set queued = 0, sent = 7, failed = 1 where workspace_id = ${owner.workspaceId}`;
    await expectSum(campaignId);
  });

  test.each(['running', 'cancelled'])('has shares that add up while it is written, %s', async (state) => {
    const campaignId = await sendNow(database.db, owner);
    await execute(database.db)`delete from deliveries where workspace_id = ${owner.workspaceId} and position > 2`;
    await execute(database.db)`update runs set expanded = 2 where workspace_id = ${owner.workspaceId}`;
    if (state === 'cancelled') await cancelCampaign(deps(), owner, campaignId);
    const shares = await expectSum(campaignId);
    expect(shares).toMatchObject([
      { accountId: first, deliveries: 3 },
      { accountId: second, deliveries: 5 },
    ]);
    const { byAccount } = await estimateFinish(deps(), owner, campaignId);
    expect([...byAccount.keys()]).toEqual(state === 'running' ? [first, second] : []);
  });

  async function expectSum(campaignId: string) {
    const { accounts, totals } = await readGroupAnalytics(deps(), owner, campaignId, { withAccounts: true });
    const { deliveries, queued, sent, failed, cancelled, recipients, acknowledging, delivered, read } = totals;
    const wanted = { deliveries, queued, sent, failed, cancelled, recipients, acknowledging, delivered, read };
    const sumOf = (field: keyof typeof wanted) => accounts.reduce((sum, share) => sum + share[field], 0);
    const fields = Object.keys(wanted) as Array<keyof typeof wanted>;
    expect(accounts).toHaveLength(2);
    expect(Object.fromEntries(fields.map((field) => [field, sumOf(field)]))).toEqual(wanted);
    return accounts;
  }
});
