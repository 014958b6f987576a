/** A poll in the dashboard: written, previewed, sent, and its results. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';

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

  const check = () => page.getByRole('region', { name: 'Check' });
  const preview = () => page.getByRole('complementary');

  test('is written, previewed and sent, and shows its results', async () => {
    await enterAsNew(page, 'ada');
    await page.goto('/campaigns/new');
    await page.getByText('Poll', { exact: true }).click();
    for (const missing of ['Write the question of the poll.', 'Write at least two answers.'])
      await check().getByText(missing).waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('When shall we meet?');
    await page.getByRole('textbox', { name: 'Answer 1' }).fill('Saturday');
    await page.getByRole('textbox', { name: 'Answer 2' }).fill('Saturday');
    await check().getByText('Two answers are the same.').waitFor();
    await page.getByRole('textbox', { name: 'Answer 2' }).fill('Sunday');
    await preview().getByText('When shall we meet?').waitFor();
    await preview().getByText('Sunday').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Village news' }).check();
    await check().getByText('Ready to send.').waitFor();
    // The draft is kept while it is written.
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'Answer 2' }).inputValue()).toBe('Sunday');
    await check().getByText('Ready to send.').waitFor();
    await page.getByRole('button', { name: 'Send to 1 simulated group now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('heading', { name: 'When shall we meet?' }).waitFor();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText(/\d+ members? ha(s|ve) voted/).waitFor();
    await results.getByText('Saturday').first().waitFor();
    await results.getByText(/· Turnout \d+%/).waitFor();
    await expect
      .poll(async () => {
        const shown = await results.getByText(/votes? · \d+%$/).allInnerTexts();
        return shown.reduce((sum, text) => sum + Number(/(\d+)%/.exec(text)?.[1]), 0);
      })
      .toBe(100);
    expect(await page.getByRole('button', { name: 'Delete for everyone…' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Edit sent posts…' }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    const { campaigns } = await askInBrowser<{ campaigns: Array<{ campaign_id: string }> }>(
      page,
      'venom/list-campaigns',
    );
    expect(await askInBrowser(page, 'venom/get-campaign', { campaign_id: campaigns[0]?.campaign_id })).toMatchObject({
      html: '',
      poll: { question: 'When shall we meet?', options: ['Saturday', 'Sunday'] },
    });
  });
});
