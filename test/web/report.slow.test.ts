/** The page of the report: what happened, figures, posts and groups, print, export, and links for people without a user. */
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
import { drawPng } from '../support/inputs/draw-png.ts';
import { until } from '../support/ledger.ts';
import { workspaceOf } from '../support/workspaces.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

/** Days with many runs, each with a picture. */
const MARCH = { first: '2025-03-01', last: '2025-03-31', runs: 60 };

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
    await page.getByText('Results by group').waitFor();
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
    const rows = page.getByRole('table', { name: 'Results by group' }).getByRole('row');
    expect(await rows.nth(1).innerText(), 'read by one, once').toMatch(/\d+%\s+2\s+\d+/);
    await page.getByText('Not enough runs yet').first().waitFor();
  });

  async function openMarch(): Promise<void> {
    await enter(page, 'ada');
    await page.goto(`/report?span=own&from=${MARCH.first}&to=${MARCH.last}`);
    await page.getByRole('table', { name: 'Results by post' }).waitFor();
  }

  test('begins with the name of the workspace, the days, and one sentence on what happened', async () => {
    await openReport();
    const today = new Date().toISOString().slice(0, 10);
    const body = { start_date: `${today.slice(0, 8)}01`, end_date: today };
    const { totals } = (await ada.call<{ totals: Record<string, number> }>('analytics/get-report', body)).body.data;
    const { sent, groups, people_reached: people } = totals;
    const main = await page.getByRole('main').innerText();
    expect(main).toMatch(/Old town\n+.*\d{4}, time zone UTC/);
    expect(main).toMatch(`${sent} posts in ${groups} groups reached ${people} people, with a read rate of `);
  });

  test('says by how many points the read rate differs from that of as many days before', async () => {
    await enter(page, 'ada');
    await page.goto('/report?span=own&from=2025-03-15&to=2025-03-28');
    const sentence = /with a read rate of \d+%(?:, as|: \d+ points? (?:more|less) than) in the 14 days before\./;
    await expect.poll(() => page.getByRole('main').innerText()).toMatch(sentence);
  });

  test('lists the posts with their pictures, newest first, and sorts them by each column', async () => {
    await openMarch();
    const table = page.getByRole('table', { name: 'Results by post' });
    const rates = async () => {
      const shown = await table.getByRole('row').getByRole('cell').filter({ hasText: /%$/ }).allInnerTexts();
      return shown.map((text) => parseInt(text, 10));
    };
    const head = (name: string) => table.getByRole('columnheader', { name });
    expect(await head('When').getAttribute('aria-sort')).toBe('descending');
    expect(await table.getByRole('row').nth(1).innerText()).toMatch(/Spring fair[^]*28 Mar/);
    expect(await table.locator('img').count(), 'as many as there are rows').toBe(50);
    expect(await page.evaluate(`document.querySelector('table img').naturalWidth`)).toBe(96);
    await table.getByRole('button', { name: 'Read' }).click();
    expect(await head('Read').getAttribute('aria-sort')).toBe('descending');
    expect(await rates()).toEqual((await rates()).toSorted((one, other) => other - one));
    await table.getByRole('button', { name: 'Read' }).click();
    expect(await head('Read').getAttribute('aria-sort')).toBe('ascending');
    expect((await rates())[0]).toBe(0);
    await page.getByText('50 of 60 posts.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    expect(await table.getByRole('row').count()).toBe(1 + MARCH.runs);
    await table.getByRole('link', { name: 'Spring fair' }).first().click();
    await page.getByRole('heading', { name: 'Spring fair', level: 1 }).waitFor();
  });

  test('names the most and the least read posts', async () => {
    await openMarch();
    const ranked = page.getByRole('region', { name: 'Best and worst posts' });
    const shares = await ranked.getByRole('listitem').allInnerTexts();
    expect(shares.map((text) => text.match(/\d+%$/)?.[0])).toEqual(['100%', '100%', '100%', '0%', '0%', '0%']);
    await page.goto('/report');
    await page.getByText('Results by group').waitFor();
    expect(await page.getByText('Best and worst posts').count(), 'people are still reading them').toBe(0);
  });

  test('keeps period and list in the address, and says when there was nothing', async () => {
    await openReport();
    await page.getByText('Custom dates').click();
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-01-31');
    await page.getByText('No posts in this period').waitFor();
    // There is no sentence on what happened.
    await expect.poll(() => page.getByText(/ reached \d/).count()).toBe(0);
    // Between the two, the span is longer than a year.
    visited.forgive(refused('400'));
    expect(new URL(page.url()).search).toBe('?span=own&from=2020-01-01&to=2020-01-31');
    await page.reload();
    await page.getByText('No posts in this period').waitFor();
    await page.getByRole('combobox', { name: 'Groups, tag or campaign' }).click();
    await page.getByRole('option', { name: 'Spring fair' }).click();
    await expect.poll(() => new URL(page.url()).search).toContain('campaign=');
  });

  test('prints the figures on one or two white pages, also of a dark page', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await openReport();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const shown = await page.locator('body').innerText();
    for (const text of [
      'Old town',
      'Results by post',
      'Posts sent',
      'People reached',
      'Best hour',
      'Best weekday',
      'Results by group',
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

  test('prints many posts on several pages with a header each, and lets no page cut a row', async () => {
    await openMarch();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.emulateMedia({ media: 'print' });
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(MARCH.runs);
    expect(await page.evaluate(stylesOf('tbody tr, ol > li', 'breakInside'))).toEqual(['avoid']);
    expect(await page.evaluate(stylesOf('thead', 'display')), 'repeated on each page').toEqual(['table-header-group']);
    const { pages, pictures } = readPdf(await page.pdf({ format: 'A4' }));
    expect(pages).toBeGreaterThanOrEqual(3);
    // Each once, on one page.
    expect(pictures).toBe(await page.locator('section img').count());
  });

  test('exports all groups as CSV and the report as JSON', async () => {
    await openReport();
    for (const [item, pattern] of [
      // Excel reads a text without a byte order mark in a legacy code page.
      ['All groups as CSV', /^\ufeffgroup_metadata_id,group_name/],
      ['All groups for Excel', /^\ufeffgroup_metadata_id[,;]group_name/],
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
    await stranger.page.getByText('Results by group').waitFor();
    expect(await stranger.page.getByRole('main').innerText()).toMatch(/Old town\n[^]*\d+ posts in \d+ groups reached/);
    const posts = stranger.page.getByRole('table', { name: 'Results by post' });
    expect(await posts.locator('img').count(), 'Spring fair has a picture').toBe(1);
    await posts.getByRole('button', { name: 'Post' }).click();
    expect(await posts.getByRole('row').nth(1).innerText()).toContain('Market day');
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

/** Names the workspace, sends two campaigns, the first with a picture and once read, and adds former runs of it. */
async function fillLedger(ada: Person): Promise<void> {
  await ada.call('workspace/rename-workspace', { name: 'Old town' });
  const { body } = await ada.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const group_metadata_ids = body.data.groups.map((group) => group.group_metadata_id);
  const image = `data:image/png;base64,${drawPng(300, 200).toString('base64')}`;
  for (const more of [{ name: 'Spring fair', image }, { name: 'Market day' }]) {
    const post = { html: 'Hello', group_metadata_ids, ...more };
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
  await sql`
    insert into runs (workspace_id, campaign_id, content_id, status, due_at, started_at, finished_at, targets, sent, delivered, read, acknowledging)
    select r.workspace_id, r.campaign_id, r.content_id, r.status, at, at, at, 3, 3, 30, 10 * (n % 4), 30
    from runs r join campaigns c on c.campaign_id = r.campaign_id and c.name = 'Spring fair'
    cross join generate_series(1, ${MARCH.runs}::int) n
    cross join lateral (select ${MARCH.first}::date + n * interval '11 hours' as at) t
    where r.workspace_id = ${workspaceOf(ada)}`.execute(app.database.db);
}

/** An expression for the distinct values of a style of these elements. */
const stylesOf = (selector: string, name: string) =>
  `[...new Set([...document.querySelectorAll('${selector}')].map((element) => getComputedStyle(element).${name}))]`;

/** Returns the number of pages of a PDF, and of the operators that show text and pictures on them. */
function readPdf(pdf: Buffer): { pages: number; texts: number; pictures: number } {
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
  const images = new Set([...source.matchAll(/(\d+) 0 obj\s*<<[^>]*\/Subtype \/Image/g)].map(([, id]) => id));
  return {
    pages: source.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0,
    texts: streams.join('\n').match(/\bT[jJ]\b/g)?.length ?? 0,
    pictures: [...streams.join('\n').matchAll(/\/X(\d+) Do\b/g)].filter(([, id]) => images.has(id)).length,
  };
}
