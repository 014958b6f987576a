/** The groups in the dashboard: saved lists of them, and what is told of each. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/dashboard-page.ts';

// A browser on a machine that is busy with other things takes its time.
vi.setConfig({ testTimeout: 120_000 });
const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(async () => {
  await browser?.close();
  await app.stop();
});

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);

  test('groups are saved as a list, picked by it, and the list is renamed, changed and deleted', async () => {
    await enterAsNew(page, 'cleo');
    await page.goto('/groups');
    await page.getByRole('checkbox', { name: 'Select Chess friends' }).check();
    await page.getByRole('checkbox', { name: 'Select Village news' }).check();
    await page.getByText('2 groups selected · 126 members').waitFor();
    await press('Save as list …');
    await dialog().getByLabel('Name of the list').fill('Clubs');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save list' }).click();
    // The new list is what is shown.
    await page.getByRole('row', { name: /Running club/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Village news/ }).waitFor();

    await page.goto('/campaigns/new');
    await press('Saved lists');
    await page.getByRole('menuitem', { name: 'Clubs (2)' }).click();
    await page.getByText('2 groups · 126 members').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Chess friends' }).isChecked()).toBe(true);

    await page.goto('/groups');
    await page.getByRole('combobox', { name: 'Saved list' }).click();
    await page.getByRole('option', { name: 'Clubs · 2' }).click();
    await press('Change or rename');
    await page.getByText('You are changing the list Clubs').waitFor();
    await page.getByRole('checkbox', { name: 'Select Running club' }).check();
    await page.getByText('3 groups selected').waitFor();
    await press('Save list');
    await dialog().getByLabel('Name of the list').fill('All clubs');
    await dialog().getByRole('button', { name: 'Save list' }).click();
    await page.getByRole('row', { name: /Running club/ }).waitFor();
    await expect
      .poll(async () => (await ask<{ group_lists: object[] }>('venom/list-group-lists')).group_lists)
      .toEqual([{ group_list_id: expect.any(Number), name: 'All clubs', group_count: 3 }]);

    await press('Write to this list');
    await page.waitForURL('**/campaigns/new');
    await page.getByText('3 groups · 151 members').waitFor();
    await page.goto('/groups');
    await page.getByRole('combobox', { name: 'Saved list' }).click();
    await page.getByRole('option', { name: 'All clubs · 3' }).click();
    await press('Delete list');
    await dialog().getByText('Only the list goes.').waitFor();
    await dialog().getByRole('button', { name: 'Delete list' }).click();
    await page.getByRole('combobox', { name: 'Saved list' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Running club/ }).waitFor();
  });

  test('groups tell when they were last posted to, and what reading them anew has changed', async () => {
    await enterAsNew(page, 'dan');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    await ask('venom/add-campaign', {
      name: 'News',
      html: 'Hello',
      group_metadata_ids: [groups[2]?.group_metadata_id],
    });
    await page.goto('/groups');
    await page.getByRole('row', { name: /Chess friends Group 5 – –/ }).waitFor();
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole('row', { name: /Village news/ }).waitFor();
          return page.getByRole('row', { name: /Village news Group 121 .*(just now|ago) \d+%/ }).count();
        },
        { interval: 1_000, timeout: 45_000 },
      )
      .toBe(1);
    await press('Sync');
    await page.getByText('Groups are up to date: 0 new, 0 changed, 0 gone.').waitFor();
    await page.getByText('Nothing has changed.').waitFor();
  });
});
