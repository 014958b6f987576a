/** A failover on the sandbox, by the API: an account is banned, demoted, removed and restored. */
import { afterAll, expect, test } from 'vitest';
import type { AccountId } from '../../src/platform/database/schema.ts';
import { groupsOf, startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { callIn, createTeam } from '../support/team.ts';

const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface ListedAccount {
  account_id: AccountId;
  status: string;
  queued: number;
  down_since: string | null;
}
interface ListedGroup {
  group_metadata_id: number;
  can_send: boolean;
  accounts: Array<{ account_id: AccountId; can_send: boolean; is_admin: boolean; is_sender: boolean }>;
}
interface ListedCampaign {
  campaign_id: string;
  status: string;
}

let people = 0;

/** A workspace with two accounts on the sandbox, both members of its groups. */
async function signUp() {
  const ada = await app.signUp(`ada${++people}`);
  const groups = await groupsOf(ada);
  const added = await ada.call<ListedAccount>('venom/add-account', { name: 'Backup', messenger: 'sandbox' });
  const backup = added.body.data.account_id;
  await ada.call('venom/sync-groups', { account_id: backup });
  const accounts = async () =>
    (await ada.call<{ accounts: ListedAccount[] }>('venom/list-accounts')).body.data.accounts;
  const main = (await accounts())[0]?.account_id ?? (0 as AccountId);
  const simulate = (action: string, fields: object = {}) =>
    ada.call<{ account_id: AccountId; status: string }>('sandbox/simulate-incident', { action, ...fields });
  const ways = async (group: number) => {
    const { body } = await ada.call<{ groups: ListedGroup[] }>('venom/list-groups', { with_accounts: true });
    return body.data.groups.find((one) => one.group_metadata_id === group);
  };
  const send = async (groupIds: readonly number[] = groups) => {
    const name = `Post ${crypto.randomUUID()}`;
    await ada.call('venom/add-campaign', { name, html: `<p>${name}</p>`, group_metadata_ids: groupIds });
    const { body } = await ada.call<{ campaigns: ListedCampaign[] }>('venom/list-campaigns', { search: name });
    return body.data.campaigns[0]?.campaign_id ?? '';
  };
  const shares = async (campaign_id: string) => {
    const { body } = await ada.call<{
      accounts: Array<{ account_id: AccountId; sent: number; queued: number; failed: number }>;
    }>('analytics/get-campaign-group-analytics-master', { campaign_id, with_accounts: true });
    return body.data.accounts;
  };
  return { ada, main, backup, groups, accounts, simulate, ways, send, shares };
}

test('posts that wait for a banned account are handed over, and a new run is sent by the other; a restored one sends again', async () => {
  const { ada, main, backup, groups, accounts, simulate, send, shares } = await signUp();
  // One post leaves, the others wait.
  await ada.call('venom/update-account', { daily_cap: 1 });
  const first = await send();
  await until(accounts, ([one]) => one?.queued === groups.length - 1);
  expect((await simulate('ban')).body.data).toEqual({ account_id: main, status: 'logged_out' });
  const [banned] = await accounts();
  expect(banned).toMatchObject({ status: 'logged_out', queued: groups.length - 1, down_since: expect.any(String) });
  const { body } = await ada.call<{ reason: string }>('venom/account-status');
  expect(body.data.reason).toContain('banned');
  expect((await ada.call('venom/connect-account')).body.data).toMatchObject({ status: 'logged_out' });
  const handed = await ada.call<{ handed_over: number }>('venom/hand-over-deliveries', { account_id: main });
  expect(handed.body.data.handed_over).toBe(groups.length - 1);
  const done = (all: Awaited<ReturnType<typeof shares>>) => all.length > 0 && all.every(({ queued }) => queued === 0);
  expect(await until(() => shares(first), done)).toMatchObject([
    { account_id: main, sent: 1 },
    { account_id: backup, sent: groups.length - 1 },
  ]);
  const second = await send();
  expect(await until(() => shares(second), done)).toMatchObject([{ account_id: backup, sent: groups.length }]);

  await ada.call('venom/update-account', { daily_cap: 'none' });
  expect((await simulate('restore')).body.data).toEqual({ account_id: main, status: 'connected' });
  const third = await send();
  expect(await until(() => shares(third), done)).toMatchObject([{ account_id: main, sent: groups.length }]);
});

test('a post that a group refuses of a demoted account is sent by the other', async () => {
  const { ada, main, backup, groups, simulate, ways, send, shares } = await signUp();
  const [group = 0, other = 0] = groups;
  await simulate('demote', { group_metadata_id: group });
  expect((await ways(group))?.accounts).toMatchObject([{ can_send: true }, { can_send: true }]);
  const campaign = await send([group, other]);
  expect(
    await until(
      () => shares(campaign),
      (all) => all.length === 2 && all.every(({ queued }) => queued === 0),
    ),
  ).toMatchObject([
    { account_id: main, sent: 1, failed: 0 },
    { account_id: backup, sent: 1, failed: 0 },
  ]);
  await ada.call('venom/sync-groups');
  expect((await ways(group))?.accounts).toMatchObject([
    { account_id: main, can_send: false, is_admin: false, is_sender: false },
    { account_id: backup, can_send: true, is_sender: true },
  ]);
  await simulate('restore', { group_metadata_id: group });
  expect((await ways(group))?.accounts).toMatchObject([{ can_send: true, is_sender: true }, { can_send: true }]);
});

test('an account that was removed from a group is no member of it after a sync, and is one again once restored', async () => {
  const { ada, main, backup, groups, simulate, ways } = await signUp();
  const [group = 0] = groups;
  await simulate('remove', { group_metadata_id: group, account_id: backup });
  await ada.call('venom/sync-groups', { account_id: backup });
  expect((await ways(group))?.accounts.map((one) => one.account_id)).toEqual([main]);
  await simulate('restore', { account_id: backup });
  expect((await ways(group))?.accounts.map((one) => one.account_id)).toEqual([main, backup]);
});

test('an account that its user has unlinked stays unlinked when it is restored', async () => {
  const { ada, simulate } = await signUp();
  await simulate('ban');
  await ada.call('venom/disconnect-account');
  expect((await simulate('restore')).body.data.status).toBe('unlinked');
  expect((await ada.call('venom/connect-account')).body.data).toMatchObject({ status: 'connected' });
});

test('rejects a ban of one group, a group or an account of others, and an account that is not on the sandbox', async () => {
  const { ada, groups, simulate } = await signUp();
  const stranger = await signUp();
  const refused = await simulate('ban', { group_metadata_id: groups[0] });
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject([{ field: 'group_metadata_id' }]);
  expect((await simulate('demote', { group_metadata_id: stranger.groups[0] })).status).toBe(404);
  expect((await simulate('ban', { account_id: stranger.backup })).status).toBe(404);
  expect((await simulate('praise')).status).toBe(400);
  const added = await ada.call<ListedAccount>('venom/add-account', {
    name: 'Real',
    messenger: 'whatsapp',
    whatsapp_number: '+49 151 7654321',
  });
  const onWhatsApp = await simulate('ban', { account_id: added.body.data.account_id });
  expect(onWhatsApp.body).toMatchObject({ code: 404, error_code: 'not_on_sandbox' });
});

test('a manager may do it, and an author may not', async () => {
  const team = await createTeam(app, 'incidents');
  const act = (member: 'manager' | 'author') =>
    callIn(app, team.members[member], team.workspaceId, 'sandbox/simulate-incident', { action: 'demote' });
  expect((await act('manager')).status).toBe(200);
  expect((await act('author')).status).toBe(403);
});

test('posts of a banned account are pinned and deleted by the other, and a correction waits', async () => {
  const { ada, main, backup, groups, accounts, simulate, send, shares } = await signUp();
  const campaign_id = await send();
  await until(
    () => shares(campaign_id),
    ([all]) => all?.account_id === main && all.sent === groups.length,
  );
  await simulate('ban');
  await until(accounts, ([one]) => one?.status === 'logged_out');
  const rows = async () => {
    const path = 'analytics/get-campaign-group-analytics-master';
    const { body } = await ada.call<{ groups: Array<Record<string, number>> }>(path, { campaign_id });
    return body.data.groups;
  };
  await ada.call('venom/correct-campaign', { campaign_id, html: 'Corrected' });
  await ada.call('venom/pin-campaign', { campaign_id, pin_for: '24h' });
  await until(rows, (all) => all.every((row) => row['pinned'] === 1));
  expect((await rows()).map((row) => row['corrected'])).toEqual(groups.map(() => 0));
  // The default account is gone, and what it has sent is deleted all the same.
  await ada.call('venom/recall-campaign', { campaign_id });
  await until(rows, (all) => all.every((row) => row['recalled'] === 1));
  await ada.call('venom/set-default-account', { account_id: backup });
  expect(await ada.call('venom/remove-account', { account_id: main })).toMatchObject({ status: 200 });
});
