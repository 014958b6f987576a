/** The page of the report: figures, print, export, and links for people without a user. */
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { DESK, findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { enter } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';
import { workspaceOf } from '../support/workspaces.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 0 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let ada: Person;

  beforeAll(async () => {
    ada = await app.signUp('ada');
    await fillLedger(ada);
  });
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url, { viewport: DESK });
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  async function openReport(): Promise<void> {
    await enter(page, 'ada');
    await page.goto('/report');
    await page.getByRole('heading', { name: 'Report', level: 1 }).waitFor();
    await page.getByText('Groups by read rate').waitFor();
  }

  test('shows the figures that the service returns, in bars and words', async () => {
    await openReport();
    const today = new Date().toISOString().slice(0, 10);
    const body = { start_date: `${today.slice(0, 8)}01`, end_date: today };
    const { totals } = (
      await ada.call<{ totals: { sent: number; people_reached: number } }>('analytics/get-report', body)
    ).body.data;
    const figures = page.getByLabel('Figures of the period');
    expect(await figures.innerText()).toContain(`Posts sent\n${totals.sent}`);
    expect(await figures.innerText()).toContain(`People reached\n${totals.people_reached}`);
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.nth(1).innerText(), 'read by one, once').toMatch(/\d+%\s+2\s+\d+/);
    await page.getByText('Not enough runs yet').first().waitFor();
  });

  test('keeps period and list in the address, and says when there was nothing', async () => {
    await openReport();
    await page.getByText('Custom dates').click();
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-01-31');
    await page.getByText('No posts in this period').waitFor();
    // Between the two, the span is longer than a year.
    visited.forgive(refused('400'));
    expect(new URL(page.url()).search).toBe('?span=own&from=2020-01-01&to=2020-01-31');
    await page.reload();
    await page.getByText('No posts in this period').waitFor();
    await page.getByRole('combobox', { name: 'Groups or campaign' }).click();
    await page.getByRole('option', { name: 'Spring fair' }).click();
    await expect.poll(() => new URL(page.url()).search).toContain('campaign=');
  });

  test('prints the figures on one or two white pages, also of a dark page', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await openReport();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const shown = await page.locator('body').innerText();
    for (const text of [
      'Posts sent',
      'People reached',
      'Best hour',
      'Best weekday',
      'Groups by read rate',
      'Silent groups',
    ])
      expect(shown, text).toContain(text);
    for (const text of ['New campaign', 'Share by link', 'Export', 'This quarter'])
      expect(shown, text).not.toContain(text);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    const pdf = await page.pdf({ format: 'A4' });
    const { pages, texts } = readPdf(pdf);
    expect(pages).toBeGreaterThanOrEqual(1);
    expect(pages).toBeLessThanOrEqual(2);
    // Each text is drawn by glyphs of an embedded font; a page of nothing but boxes would have few.
    expect(texts).toBeGreaterThan(100);
  });

  test('exports all groups as CSV and the report as JSON', async () => {
    await openReport();
    for (const [item, pattern] of [
      ['All groups as CSV', /group_metadata_id,group_name/],
      ['The whole report as JSON', /"people_reached":/],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: item }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^Report .+\.(csv|json)$/);
      expect(await readFile(await download.path(), 'utf8')).toMatch(pattern);
    }
  });

  test('shares the report by a link that strangers can open until it is revoked', async () => {
    await openReport();
    await page.getByRole('button', { name: 'Share by link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    const stranger = await visit(browser as Browser, app.url, { viewport: DESK });
    const answer = await stranger.page.goto(link);
    expect(answer?.headers()['x-robots-tag']).toBe('noindex, nofollow');
    await stranger.page.getByText('Groups by read rate').waitFor();
    expect(await stranger.page.getByRole('link').count(), 'it leads nowhere else').toBe(0);
    expect(await findBarriersAnywhere(stranger.page, {})).toEqual([]);
    await page.getByRole('button', { name: /^Revoke the link/ }).click();
    await page.getByText('The link no longer works.').waitFor();
    await stranger.page.reload();
    await stranger.page.getByText('This link does not work').waitFor();
    stranger.forgive(refused('404'));
    stranger.forgive(refused('401'));
    await stranger.end();
  });

  test('has no accessibility violations, nor has its dialog', async () => {
    await openReport();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await page.getByRole('button', { name: 'Share by link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).waitFor();
    expect(await findBarriersAnywhere(page, { within: '#layers' })).toEqual([]);
  });
});

/** Sends a few campaigns, with a failure and readers. */
async function fillLedger(ada: Person): Promise<void> {
  const { body } = await ada.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const group_metadata_ids = body.data.groups.map((group) => group.group_metadata_id);
  for (const name of ['Spring fair', 'Market day']) {
    const post = { name, html: 'Hello', group_metadata_ids };
    const { campaign_id } = (await ada.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
    await until(
      () => ada.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      (answer) => answer.body.data.status.startsWith('completed'),
    );
  }
  const { rows } = await sql<{ accountId: AccountId; messageId: string }>`
    select d.account_id as "accountId", d.message_id as "messageId" from deliveries d
    where d.workspace_id = ${workspaceOf(ada)} order by d.run_id, d.position limit 2`.execute(app.database.db);
  await recordReceipts(
    app.database.db,
    rows.map((row) => ({ kind: 'read', ...row, participant: 'ann', at: new Date() })),
  );
}

/** Returns the number of pages of a PDF, and of the operators that show text on them. */
function readPdf(pdf: Buffer): { pages: number; texts: number } {
  const source = pdf.toString('latin1');
  const streams = [...source.matchAll(/stream\r?\n/g)].map(({ index, 0: head }) => {
    const from = index + head.length;
    const bytes = pdf.subarray(from, source.indexOf('endstream', from));
    try {
      return inflateSync(bytes).toString('latin1');
    } catch {
      return '';
    }
  });
  return {
    pages: source.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0,
    texts: streams.join('\n').match(/\bT[jJ]\b/g)?.length ?? 0,
  };
}
