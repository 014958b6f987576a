/** The jobs of every week take few steps: a step is a click, or a field that is typed into. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew } from '../support/browser/dashboard-page.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let steps: number;
  let people = 0;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    steps = 0;
    await enterAsNew(page, `worker${++people}`);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  const click = (target: Locator) => {
    steps++;
    return target.click();
  };
  const type = (target: Locator, text: string) => {
    steps++;
    return target.fill(text);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const message = () => page.getByRole('textbox', { name: 'Message' });

  async function openSent(): Promise<void> {
    const { groups } = await askInBrowser<{ groups: Array<{ group_metadata_id: number }> }>(page, 'venom/list-groups');
    const { campaign_id: id } = await askInBrowser<{ campaign_id: string }>(page, 'venom/add-campaign', {
      name: 'Spring fair',
      html: 'We open at nine',
      group_metadata_ids: groups.map((group) => group.group_metadata_id),
    });
    await page.goto(`/campaigns/${id}`);
    await page.getByText('Done', { exact: true }).first().waitFor();
  }

  test('a first post takes six at most', async () => {
    await click(page.getByRole('link', { name: 'New campaign' }).first());
    await type(message(), 'We open at nine');
    await click(page.getByRole('checkbox', { name: 'Village news' }));
    await click(button('Send to 1 simulated group now'));
    await click(dialog().getByRole('button', { name: 'Send now' }));
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    expect(steps).toBeLessThanOrEqual(6);
  });

  test('a post of every Monday to all groups takes 14 at most', async () => {
    await click(page.getByRole('link', { name: 'New campaign' }).first());
    await type(message(), 'The week begins');
    await click(button('Select all matching'));
    await click(page.getByText('On a schedule'));
    await click(page.getByRole('button', { name: 'First day' }));
    const monday = dialog().getByRole('button', { name: new RegExp(`^${nextMonday()}`) });
    // In the last week of a month, it is on the page of the next one.
    const nextMonth = dialog().getByRole('button', { name: 'Next month' });
    await nextMonth.waitFor();
    if (!(await monday.isVisible())) await click(nextMonth);
    await click(monday);
    await click(button('Weekly'));
    await type(page.getByLabel('Time', { exact: true }), '08:15');
    await click(button('Schedule for 3 simulated groups'));
    await click(dialog().getByRole('button', { name: 'Schedule', exact: true }));
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await page
      .getByText(/\bMon\b.*08:15/)
      .first()
      .waitFor();
    expect(steps).toBeLessThanOrEqual(14);
  });

  test('editing what was sent takes three on the page of the campaign', async () => {
    await openSent();
    await click(button('Edit sent posts…'));
    await type(dialog().getByRole('textbox', { name: 'Message' }), 'We open at ten');
    await click(dialog().getByRole('button', { name: 'Edit for everyone' }));
    await page.getByText('3 posts were edited.').waitFor();
    expect(steps).toBeLessThanOrEqual(3);
  });

  test('deleting it for everyone takes two', async () => {
    await openSent();
    await click(button('Delete for everyone…'));
    await click(dialog().getByRole('button', { name: 'Delete for everyone' }));
    await page.getByText('3 posts were deleted for everyone.').waitFor();
    expect(steps).toBeLessThanOrEqual(2);
  });

  test('the report of a quarter as a file takes four', async () => {
    await openSent();
    await click(page.getByRole('link', { name: 'Report' }));
    await click(page.getByText('This quarter'));
    await click(button('Export'));
    const download = page.waitForEvent('download');
    await click(page.getByRole('menuitem', { name: /CSV/ }));
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    expect(steps).toBeLessThanOrEqual(4);
  });
});

/** As the date picker names it: "7 December 2026". */
function nextMonday(): string {
  const today = Temporal.Now.plainDateISO('Europe/Berlin');
  const day = today.add({ days: 8 - today.dayOfWeek });
  return day.toLocaleString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
}
