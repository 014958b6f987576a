/** The groups in the dashboard: saved lists of them, and what is told of each. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { lookEverywhere } from '../support/browser/looks.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

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

  test('saves groups as a list, picks by it, and renames, changes and deletes it', async () => {
    await enterAsNew(page, 'cleo');
    await page.goto('/groups');
    await page.getByRole('checkbox', { name: 'Select Chess friends' }).check();
    await page.getByRole('checkbox', { name: 'Select Village news' }).check();
    await page.getByText('2 groups selected · 126 members').waitFor();
    await press('Save as list…');
    await dialog().getByLabel('Name of the list').fill('Clubs');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
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
    await press('Edit or rename');
    await page.getByText('You are editing the list Clubs').waitFor();
    await page.getByRole('checkbox', { name: 'Select Running club' }).check();
    await page.getByText('3 groups selected').waitFor();
    await press('Save list');
    await dialog().getByLabel('Name of the list').fill('All clubs');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('row', { name: /Running club/ }).waitFor();
    await expect
      .poll(async () => (await ask<{ group_lists: object[] }>('venom/list-group-lists')).group_lists)
      .toEqual([{ group_list_id: expect.any(Number), name: 'All clubs', group_count: 3, external_id: null }]);

    await press('New campaign to this list');
    await page.waitForURL('**/campaigns/new?draft=*');
    await page.getByText('3 groups · 151 members').waitFor();
    await page.goto('/groups');
    await page.getByRole('combobox', { name: 'Saved list' }).click();
    await page.getByRole('option', { name: 'All clubs · 3' }).click();
    await press('Delete list');
    await dialog().getByText('Only the list is deleted.').waitFor();
    await dialog().getByRole('button', { name: 'Delete list' }).click();
    await page.getByRole('combobox', { name: 'Saved list' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Running club/ }).waitFor();
  });

  test('filters groups by a value, and picks them for a campaign by it and by a column of names', async () => {
    await enterAsNew(page, 'cora');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const idOf = (name: string) => groups.find(({ group_name }) => group_name === name)?.group_metadata_id;
    await ask('venom/set-fields', { fields: [{ name: 'City' }] });
    const inPune = ['Chess friends', 'Village news'].map((name) => ({
      group_metadata_id: idOf(name),
      fields: { City: 'Pune' },
    }));
    await ask('venom/set-group-fields', { groups: inPune });

    await page.goto('/groups');
    await page.getByRole('combobox', { name: 'By field' }).click();
    await page.getByRole('option', { name: 'City' }).click();
    await page.getByRole('row', { name: /Chess friends/ }).waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Value of City' }).fill('pune');
    await page.getByRole('row', { name: /Running club/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Chess friends/ }).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /Village news/ }).waitFor();
    expect(await page.getByRole('row', { name: /Running club/ }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await press('Select all matching');
    await page.getByText('2 groups selected · 126 members').waitFor();

    await page.goto('/campaigns/new');
    await page.getByRole('combobox', { name: 'By field' }).click();
    await page.getByRole('option', { name: 'City' }).click();
    await page.getByRole('textbox', { name: 'Value of City' }).fill('Pune');
    await press('Select all matching');
    await page.getByText('2 groups · 126 members').waitFor();

    await press('Paste names');
    await dialog().getByLabel('Names of groups').fill('RUNNING  club\tRosa\r\nAllotments');
    await dialog().getByRole('button', { name: 'Add groups' }).click();
    await dialog().getByText('No group has these names:').waitFor();
    expect(await dialog().getByLabel('Names of groups').inputValue()).toBe('Allotments');
    await page.keyboard.press('Escape');
    await page.getByText('3 groups · 151 members').waitFor();
  });

  test('shows the last post of each group, and the result of a sync', async () => {
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
        { interval: 1_000 },
      )
      .toBe(1);
    await press('Sync');
    await page.getByText('Groups are up to date: 3 in total, 0 new, 0 changed, 0 gone.').waitFor();
    await page.getByText('Nothing has changed.').waitFor();
  });

  test('sorts and filters groups by keyboard, and restores both from the URL', async () => {
    await enterAsNew(page, 'eve');
    await page.goto('/groups');
    await page.getByText('3 groups · 151 members').waitFor();
    await page.getByRole('button', { name: 'Members' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'Members' }).and(page.locator('[aria-sort=descending]')).waitFor();
    const shown = () => page.getByRole('row').getByRole('link').allTextContents();
    await expect.poll(shown).toEqual(['Village news', 'Running club', 'Chess friends']);
    await page.keyboard.press('Enter');
    await expect.poll(shown).toEqual(['Chess friends', 'Running club', 'Village news']);
    await page.getByRole('checkbox', { name: 'With failed posts' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('No groups found').waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name: 'No posts for 14 days' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('3 groups · 151 members').waitFor();
    await page.getByRole('button', { name: 'Select all matching' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('3 groups selected · 151 members').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Chess friends' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Chess friends' }).waitFor();
    await page.goBack();
    await expect.poll(shown).toEqual(['Chess friends', 'Running club', 'Village news']);
    expect(await page.getByRole('checkbox', { name: 'No posts for 14 days' }).isChecked()).toBe(true);
  });

  test('sorts groups on a phone, which has no columns', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await enterAsNew(page, 'gil');
    await page.goto('/groups');
    const shown = () => page.getByRole('row').getByRole('link').allTextContents();
    await expect.poll(shown).toEqual(['Chess friends', 'Running club', 'Village news']);
    const choose = async (column: string) => {
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: column }).click();
    };
    await choose('Members');
    await expect.poll(shown).toEqual(['Village news', 'Running club', 'Chess friends']);
    expect(new URL(page.url()).search).toContain('sort=participants');
    await choose('Members');
    await expect.poll(shown).toEqual(['Chess friends', 'Running club', 'Village news']);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('makes a list by rule with its live count, shows tags, and sends to the list as it is then', async () => {
    await enterAsNew(page, 'greta');
    await ask('venom/set-fields', { fields: [{ name: 'Tags', kind: 'tags' }] });
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const tagged = groups.filter(({ group_name: name }) => name !== 'Running club');
    await ask('venom/set-group-fields', {
      groups: tagged.map(({ group_metadata_id }) => ({ group_metadata_id, fields: { Tags: 'Parents, North' } })),
    });
    await page.goto('/groups');
    await page.getByRole('row', { name: /Chess friends.*Parents.*North/ }).waitFor();
    await lookEverywhere(page, 'group-tags');
    await press('List by rule…');
    await dialog().getByLabel('Name of the list').fill('Families');
    await dialog().getByText('3 groups meet it now').waitFor();
    await dialog().getByRole('combobox', { name: 'What it is about' }).click();
    await page.getByRole('option', { name: 'Tags' }).click();
    await dialog().getByRole('textbox', { name: 'Value' }).fill('parents');
    await dialog().getByText('2 groups meet it now').waitFor();
    await dialog().getByRole('button', { name: 'Add condition' }).click();
    const second = dialog().getByRole('group', { name: 'Condition 2' });
    await second.getByRole('combobox', { name: 'What it is about' }).click();
    await page.getByRole('option', { name: 'More members than' }).click();
    await second.getByRole('textbox', { name: 'Value' }).fill('100');
    await dialog().getByText('1 group meets it now: Village news').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await lookEverywhere(page, 'rule');
    await dialog().getByRole('button', { name: 'Remove condition 2' }).click();
    await dialog().getByText('2 groups meet it now').waitFor();
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('row', { name: /Running club/ }).waitFor({ state: 'detached' });
    expect(await findBarriers(page)).toEqual([]);

    await page.goto('/campaigns/new');
    await press('Saved lists');
    await page.getByRole('menuitem', { name: 'Families (2)' }).click();
    await page.getByText('The post goes to all of Families, as they are when it is sent.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await lookEverywhere(page, 'to-list');
    await page
      .getByRole('checkbox', { name: /Chess friends/ })
      .first()
      .uncheck();
    await page.getByText('The post goes to all of Families').waitFor({ state: 'detached' });
  });

  test("shows a group's posts, planned runs, link and lists", async () => {
    await enterAsNew(page, 'finn');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const id = groups.find((group) => group.group_name === 'Village news')?.group_metadata_id ?? 0;
    await ask('venom/save-group-list', { name: 'Clubs', group_metadata_ids: [id] });
    await ask('venom/add-campaign', { name: 'Spring fair', html: 'Hello', group_metadata_ids: [id] });
    await ask('venom/add-campaign-batch', {
      name: 'Every day',
      html: 'Hello',
      is_schedule: true,
      group_metadata_ids: [id],
      start_date: '2990-01-01',
      end_date: '2990-01-03',
      schedule_time: '09:00:00',
    });
    await page.goto(`/groups/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Village news' }).waitFor();
    await page.getByRole('row', { name: /Spring fair .* Sent 120/ }).waitFor();
    await page.getByRole('region', { name: 'Scheduled' }).getByRole('link', { name: 'Every day' }).first().waitFor();
    await page.getByRole('img', { name: 'QR code of the invite link' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Clubs' }).click();
    await page.getByRole('row', { name: /Chess friends/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Village news/ }).waitFor();

    await page.goto('/groups/999999999');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    visited.forgive(refused('404'));
  });
});
