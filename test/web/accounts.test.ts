/** Several accounts of a workspace in the dashboard: add one, see them side by side, hand posts over, remove one. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface ListedAccount {
  account_id: number;
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
    await page.getByLabel('Posts per day, at most').fill('40');
    await press('Save');
    await card('Backup').getByText('0 of 40').waitFor();
    await card('Main account').getByRole('link').click();
    await expect.poll(() => page.getByLabel('Posts per day, at most').inputValue()).toBe('');
    expect(await findBarriers(page)).toEqual([]);
    await press('Rename');
    await dialog().getByLabel('Name').fill('Newsroom');
    await dialog().getByRole('button', { name: 'Save name' }).click();
    await card('Newsroom').waitFor();
    expect(await listAccounts()).toMatchObject([{ name: 'Newsroom' }, { name: 'Backup' }]);
  });

  test('unlinks and removes an account that was added', async () => {
    await enterAsNew(page, 'ben');
    const { account_id: id } = await addBackup();
    await page.goto(`/account?account=${id}`);
    await press('Unlink');
    await dialog().getByRole('button', { name: 'Unlink' }).click();
    await card('Backup').getByText('Not linked').waitFor();
    await card('Backup')
      .getByText(/^Cannot send since/)
      .waitFor();
    await press('Remove');
    await dialog().getByText('What it has sent stays in the figures.').waitFor();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Backup is removed.').waitFor();
    await page.waitForURL(/\/account$/);
    expect(await cards().count()).toBe(0);
    expect(await listAccounts()).toHaveLength(1);
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
    await page.getByRole('status').getByText('2 posts are handed over to Backup.').waitFor();
    await page.getByText('2 posts wait for it').waitFor({ state: 'detached' });
    await until(listAccounts, (accounts) => accounts.every(({ queued }) => queued === 0));
  });
});
