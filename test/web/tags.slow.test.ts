/** Tags in the dashboard: given in the composer, shown and filtered by on the page of campaigns, and in reports. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { DESK, findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew } from '../support/browser/dashboard-page.ts';
import { sendToAll, writeMessage } from '../support/browser/dashboard-user.ts';
import { lookEverywhere } from '../support/browser/looks.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 0 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url, { viewport: DESK });
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const tagsOf = async (campaign_id: string) =>
    (await ask<{ tags: string[] }>('venom/get-campaign', { campaign_id })).tags;
  const field = () => page.locator('input').and(page.getByLabel('Tags'));
  async function groupIds(): Promise<number[]> {
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    return groups.map((group) => group.group_metadata_id);
  }

  test('gives a post tags, suggests those in use, and finds campaigns by them', async () => {
    await enterAsNew(page, 'tessa');
    const group_metadata_ids = await groupIds();
    await ask('venom/add-campaign', { name: 'Old news', html: 'Hello', group_metadata_ids, tags: ['newsletter'] });
    await ask('venom/add-campaign', { name: 'Plain', html: 'Hello', group_metadata_ids });
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Fees are due');
    await field().fill('Fees');
    await page.keyboard.press('Enter');
    await field().fill('news');
    await page.getByRole('option', { name: 'newsletter' }).click();
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await page.getByText('newsletter', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await lookEverywhere(page, 'post-tags');
    const id = await sendToAll(page);
    expect(await tagsOf(id)).toEqual(['Fees', 'newsletter']);
    await page.getByLabel('Progress').getByText('Fees', { exact: true }).click();
    await page.waitForURL(/\?tag=Fees$/);
    const list = page.getByRole('list', { name: 'Campaigns' });
    await list.getByRole('link', { name: /Fees are due/ }).waitFor();
    expect(await list.getByRole('link').count()).toBe(1);
    await page.getByRole('combobox', { name: 'Tags' }).selectOption('newsletter');
    await list.getByRole('link', { name: /Old news/ }).waitFor();
    expect(await list.getByRole('link').count()).toBe(2);
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await lookEverywhere(page, 'campaigns-of-tag');
    await page.getByRole('combobox', { name: 'Tags' }).selectOption('Any tag');
    await list.getByRole('link', { name: /Plain/ }).waitFor();
  });

  test('reports on a tag, and shares the report', async () => {
    await enterAsNew(page, 'tom');
    const group_metadata_ids = await groupIds();
    const { campaign_id } = await ask<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Fees',
      html: 'Hello',
      group_metadata_ids,
      tags: ['fees'],
    });
    await ask('venom/add-campaign', { name: 'Plain', html: 'Hello', group_metadata_ids });
    await page.goto(`/campaigns/${campaign_id}`);
    await page.getByText('Done').first().waitFor();
    await page.goto('/report');
    await page.getByText('Results by group').waitFor();
    await page.getByRole('combobox', { name: 'Groups, tag or campaign' }).click();
    await page.getByRole('option', { name: 'fees', exact: true }).click();
    await page.getByText('fees · ').waitFor();
    expect(await page.getByLabel('Figures of the period').innerText()).toContain(
      `Posts sent\n${group_metadata_ids.length}`,
    );
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await lookEverywhere(page, 'report-of-tag');
    await page.getByRole('button', { name: 'Share by link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^fees, /)
      .waitFor();
  });

  test('changes the tags of a planned post alone, and says so before', async () => {
    await enterAsNew(page, 'tim');
    const plan = { is_schedule: true, start_date: '2040-06-01', end_date: '2040-06-01', schedule_time: '09:00:00' };
    const post = { name: 'Fees', html: 'Hello', group_metadata_ids: await groupIds(), tags: ['a'], ...plan };
    await ask('venom/add-campaign-batch', post);
    const { campaigns } = await ask<{ campaigns: [{ campaign_id: string }] }>('venom/list-campaigns');
    const [{ campaign_id }] = campaigns;
    await page.goto(`/campaigns/${campaign_id}/change`);
    await field().fill('b');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByText('New tags: a, b').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
    await page.waitForURL(`/campaigns/${campaign_id}`);
    expect(await tagsOf(campaign_id)).toEqual(['a', 'b']);
  });
});
