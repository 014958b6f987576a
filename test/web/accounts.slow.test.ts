/** Several accounts of a workspace in the dashboard: add one, see them side by side, hand posts over, remove one. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enter, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';
import { until } from '../support/ledger.ts';
import { defaultWorkspace } from '../support/team.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface ListedAccount {
  account_id: AccountId;
  name: string | null;
  is_default: boolean;
  queued: number;
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const cards = () => page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
  const card = (name: string) => cards().filter({ has: page.getByRole('link', { name, exact: true }) });
  const listAccounts = async () => (await ask<{ accounts: ListedAccount[] }>('venom/list-accounts')).accounts;
  const groupIds = async () => {
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    return groups.map((group) => group.group_metadata_id);
  };
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option }).click();
  };
  const addBackup = () => ask<ListedAccount>('venom/add-account', { name: 'Backup' });

  test('adds a second account, and shows both with the rules and the link of the chosen one', async () => {
    await enterAsNew(page, 'ada');
    await page.goto('/account');
    await page.getByRole('region', { name: 'Connection' }).waitFor();
    expect(await cards().count()).toBe(0);
    await press('Add account');
    await dialog().getByRole('button', { name: 'Add account' }).click();
    await dialog().getByText('Enter a name.').waitFor();
    await dialog().getByLabel('Name').fill('Backup');
    await dialog().getByRole('button', { name: 'Add account' }).click();
    await page.waitForURL(/\/account\?account=\d+$/);
    await card('Backup').getByText('3 of 3').waitFor();
    await card('Main account').waitFor();
    expect(await card('Backup').getByRole('link').getAttribute('aria-current')).toBe('true');
    await page.getByLabel('Maximum posts per day').fill('40');
    await press('Save');
    await card('Backup').getByText('0 of 40').waitFor();
    await card('Main account').getByRole('link').click();
    await expect.poll(() => page.getByLabel('Maximum posts per day').inputValue()).toBe('');
    expect(await findBarriers(page)).toEqual([]);
    await press('Rename');
    await dialog().getByLabel('Name').fill('Newsroom');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await card('Newsroom').waitFor();
    expect(await listAccounts()).toMatchObject([{ name: 'Newsroom' }, { name: 'Backup' }]);
  });

  test('unlinks and removes an account that was added', async () => {
    await enterAsNew(page, 'ben');
    const { account_id: id } = await addBackup();
    await page.goto(`/account?account=${id}`);
    await press('Unlink');
    await dialog().getByRole('button', { name: 'Unlink' }).click();
    await card('Backup').getByText('Not linked', { exact: true }).waitFor();
    await card('Backup')
      .getByText('The account is not linked, so nothing is sent. Link it.', { exact: true })
      .waitFor();
    // Nothing waits for a number that was never linked: nobody is alarmed.
    await page.goto('/');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Account: Sandbox', exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Needs attention' }).count()).toBe(0);
    await page.goto(`/account?account=${id}`);
    await press('Remove');
    await dialog().getByText('Its past posts stay in your results.').waitFor();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Backup removed.').waitFor();
    await page.waitForURL(/\/account$/);
    expect(await cards().count()).toBe(0);
    expect(await listAccounts()).toHaveLength(1);
  });

  test('makes another account the main one', async () => {
    await enterAsNew(page, 'mia');
    const { account_id } = await addBackup();
    await page.goto(`/account?account=${account_id}`);
    await press('Make it the main account');
    await dialog().getByText('What names no account is then about it').waitFor();
    await dialog().getByRole('button', { name: 'Make it the main account' }).click();
    await page.getByText('Backup is the main account.').waitFor();
    expect(await listAccounts()).toMatchObject([{ account_id, is_default: true }, { is_default: false }]);
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Make it the main account' }).waitFor({ state: 'detached' });
    expect(await findBarriers(page)).toEqual([]);
  });

  test('sets who posts to a group, says who set it and why, and keeps what was set before', async () => {
    await enterAsNew(page, 'dora');
    const [first] = await groupIds();
    await page.goto(`/groups/${first}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const senders = page.getByRole('region', { name: 'Who posts here' });
    expect(await senders.count()).toBe(0);
    const { account_id: backup } = await addBackup();
    await ask('venom/sync-groups', { account_id: backup });
    await page.reload();
    await senders.getByText('Nothing is set', { exact: false }).waitFor();
    await senders
      .getByRole('listitem')
      .filter({ hasText: 'Main account' })
      .getByText(/^Posts here/)
      .waitFor();
    await press('Change…');
    await choose('Preferred account', 'Backup');
    await choose('Stand-ins, in this order', 'Main account');
    await dialog().getByLabel('Reason').fill('Main rests this week');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await senders
      .getByRole('listitem')
      .filter({ hasText: 'Backup' })
      .getByText(/^Posts here/)
      .waitFor();
    await senders.getByText('Backup; stand-ins: Main account').waitFor();
    await senders.getByText('Main rests this week').waitFor();
    await senders.getByText('By dora').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello');
    await press('Select all matching');
    await page.getByRole('button', { name: 'Send to 3 simulated groups now' }).click();
    await dialog().getByText('2 groups by Main account, 1 group by Backup').waitFor();

    await page.goto(`/groups/${first}`);
    await press('Change…');
    await dialog().getByRole('button', { name: 'Remove rule' }).click();
    await senders.getByText('Nothing is set', { exact: false }).waitFor();
    await press('Earlier');
    await senders.getByText('Backup; stand-ins: Main account').waitFor();
  });

  test('creates a group from the chosen account', async () => {
    await enterAsNew(page, 'mary');
    await page.goto('/groups');
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    const backup = await addBackup();
    await page.reload();
    await press('New');
    await page.getByRole('menuitem', { name: 'Group', exact: true }).click();
    await dialog().getByLabel('Name').fill('Helpers');
    await dialog().getByLabel('Account').selectOption('Backup');
    await dialog().getByRole('button', { name: 'Create group' }).click();
    await page.getByText('Helpers').first().waitFor();
    const { groups } = await ask<{ groups: Array<{ group_name: string; accounts: Array<{ account_id: AccountId }> }> }>(
      'venom/list-groups',
      { with_accounts: true, search: 'Helpers' },
    );
    expect(groups.map(({ accounts }) => accounts.map(({ account_id: id }) => id))).toEqual([[backup.account_id]]);
  });

  test('sets who posts to the groups of a saved list', async () => {
    await enterAsNew(page, 'fred');
    const [first = 0, second = 0, third = 0] = await groupIds();
    await ask('venom/save-group-list', { name: 'Clubs', group_metadata_ids: [first, second] });
    await page.goto('/groups');
    await choose('Saved list', 'Clubs');
    await page.getByRole('group', { name: 'Clubs' }).waitFor();
    expect(await page.getByRole('button', { name: 'Who posts here' }).count()).toBe(0);
    const { account_id: backup } = await addBackup();
    await ask('venom/sync-groups', { account_id: backup });
    await page.reload();
    await press('Who posts here');
    await choose('Preferred account', 'Backup');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.goto(`/groups/${second}`);
    const senders = page.getByRole('region', { name: 'Who posts here' });
    await senders.getByText('Set for the list Clubs').waitFor();
    await page.goto(`/groups/${third}`);
    await senders.getByText('Nothing is set', { exact: false }).waitFor();

    await page.goto('/groups');
    await choose('Saved list', 'Clubs');
    await press('Who posts here');
    await dialog().getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('The rule is removed.').waitFor();
  });

  test('shows accounts and senders to an analyst, who cannot change them', async () => {
    const [owner, analyst] = [await app.signUp('olga'), await app.signUp('anna')];
    await owner.call('venom/add-account', { name: 'Backup' });
    const { body } = await owner.call<{ code: string }>('workspace/invite-member', { role: 'analyst' });
    const workspaceId = await defaultWorkspace(owner);
    await analyst.call('workspace/accept-invitation', { code: body.data.code });
    const [first] = await groupsOf(owner);
    await enter(page, 'anna');
    await page.goto('/');
    await page.getByRole('button', { name: 'Workspace olga' }).waitFor();
    expect(await defaultWorkspace(analyst)).not.toBe(workspaceId);
    await page.goto('/account');
    await card('Backup').waitFor();
    for (const name of ['Add account', 'Rename', 'Unlink'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await page.goto(`/groups/${first}`);
    await page
      .getByRole('region', { name: 'Who posts here' })
      .getByText(/^Posts here/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Change…' }).count()).toBe(0);
  });

  test('hands posts of an account that cannot send over to another, and says how many', async () => {
    await enterAsNew(page, 'cleo');
    await addBackup();
    const [main] = await listAccounts();
    // One post leaves, the others wait.
    await ask('venom/update-account', { daily_cap: 1 });
    await ask('venom/add-campaign', { name: 'Fair', html: '<p>Hello</p>', group_metadata_ids: await groupIds() });
    await until(listAccounts, ([first]) => first?.queued === 2);
    await sql`update accounts set stop_reason = 'the records do not fit' where account_id = ${main?.account_id}`.execute(
      app.database.db,
    );
    await page.goto('/account');
    await page.getByText('Main account cannot send, and 2 posts wait for it').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press('Hand over to Backup');
    await page.getByRole('status').getByText('2 posts handed over to Backup.').waitFor();
    await page.getByText('2 posts wait for it').waitFor({ state: 'detached' });
    await until(listAccounts, (accounts) => accounts.every(({ queued }) => queued === 0));
  });

  test('sets what happens when an account cannot send', async () => {
    await enterAsNew(page, 'eve');
    await page.goto('/settings');
    const section = page.getByRole('region', { name: 'When an account cannot send' });
    await page
      .getByRole('region', { name: 'Quotas' })
      .or(page.getByRole('region', { name: 'Members' }))
      .first()
      .waitFor();
    expect(await section.count()).toBe(0);
    await addBackup();
    await page.reload();
    await section.getByRole('radio', { name: 'Hand over to' }).check();
    await section.getByLabel('Hand over after (minutes)').fill('45');
    await section.getByRole('checkbox', { name: 'Unsent posts return' }).uncheck();
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await ask('workspace/update-workspace')).toMatchObject({ failover_minutes: 45, fails_back: false });
    await section.getByRole('button', { name: 'Change…' }).click();
    await choose('Preferred account', 'Backup');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await section.getByText('Set for all groups').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
