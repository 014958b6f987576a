/** The sandbox phone lets people try what happens when an account cannot send. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface ListedAccount {
  account_id: AccountId;
  status: string;
  queued: number;
}
interface ListedGroup {
  group_metadata_id: number;
  group_name: string;
  accounts: Array<{ account_id: AccountId; can_send: boolean }>;
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
  const listAccounts = async () => (await ask<{ accounts: ListedAccount[] }>('venom/list-accounts')).accounts;
  const listGroups = async () =>
    (await ask<{ groups: ListedGroup[] }>('venom/list-groups', { with_accounts: true })).groups;
  const section = () => page.getByRole('region', { name: 'Try a failure' });
  const simulate = async (name: string, entry: string) => {
    await section()
      .getByRole('button', { name: `Simulate a failure of ${name}` })
      .click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };

  test('bans an account, hands its posts over, and brings it back', async () => {
    await enterAsNew(page, 'ada');
    await ask('venom/add-account', { name: 'Backup' });
    await ask('venom/update-account', { daily_cap: 1 });
    const groups = (await listGroups()).map((one) => one.group_metadata_id);
    await ask('venom/add-campaign', { name: 'Fair', html: '<p>Hello</p>', group_metadata_ids: groups });
    await until(listAccounts, ([main]) => main?.queued === 2);
    await page.goto('/phone');
    await section()
      .getByRole('listitem')
      .filter({ hasText: 'Main account' })
      .getByText(/^Paused until/)
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await simulate('Main account', 'Ban the account');
    await page.getByText('Main account is banned until you bring it back.').waitFor();
    await section().getByRole('listitem').filter({ hasText: 'Main account' }).getByText('No longer linked').waitFor();
    await page.goto('/account');
    await page.getByRole('button', { name: 'Hand over to Backup' }).click();
    await page.getByRole('status').getByText('2 posts handed over to Backup.').waitFor();
    await until(listAccounts, (accounts) => accounts.every(({ queued }) => queued === 0));
    await page.goto('/phone');
    await simulate('Main account', 'Bring back');
    await page.getByText('Main account is connected, and an admin of all its groups.').waitFor();
    expect((await listAccounts()).map(({ status }) => status)).toEqual(['connected', 'connected']);
  });

  test('takes an account its place as an admin of the open group, and removes it from there', async () => {
    await enterAsNew(page, 'ben');
    const [main] = await listAccounts();
    await page.goto('/phone');
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'Running club' }).click();
    await simulate('Main account', 'No longer admin of Running club');
    await page.getByText('Main account is no longer an admin of Running club, where only admins post.').waitFor();
    await ask('venom/sync-groups');
    const waysTo = async (name: string) => (await listGroups()).find((one) => one.group_name === name)?.accounts;
    expect(await waysTo('Running club')).toMatchObject([{ account_id: main?.account_id, can_send: false }]);
    expect(await waysTo('Chess friends')).toMatchObject([{ can_send: true }]);
    await simulate('Main account', 'Remove from Running club');
    await page.getByText('Main account is no longer a member of Running club.').waitFor();
    await ask('venom/sync-groups');
    expect(await waysTo('Running club')).toBeUndefined();
  });
});
