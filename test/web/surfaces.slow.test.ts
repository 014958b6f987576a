/** Cards, rows and labels of pages, as they are painted in a real browser. */
import { sql } from 'kysely';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person } from '../support/app.ts';
import { findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { drawPng } from '../support/inputs/draw-png.ts';
import { until } from '../support/ledger.ts';
import { upload } from '../support/upload.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200, timeZone: 'Europe/Berlin' });
afterAll(() => app.stop());

/** The sections with a border that hold no more than a heading and a sentence. */
const LONE_SENTENCES = `[...document.querySelectorAll('main section')]
  .filter((section) => getComputedStyle(section).borderTopWidth !== '0px')
  .filter((section) => !section.querySelector('a, button, input, select, textarea, img, svg, canvas, li, table, dl, [role=img], [data-skeleton]'))
  .map((section) => section.innerText)`;

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let person: Person;
  let groups: number[];
  let people = 0;
  beforeEach(async () => {
    person = await app.signUp(`user${++people}`);
    groups = await groupsOf(person);
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  const send = async (more: object) => {
    const post = { name: 'Fair', html: '<p>We open at nine</p>', group_metadata_ids: groups, ...more };
    const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', post);
    const { campaign_id } = body.data;
    await until(
      () => person.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      (answer) => answer.body.data.status === 'completed',
    );
    return campaign_id;
  };
  const left = async (of: Locator) => (await of.boundingBox())?.x;

  test('draws no card around a single sentence', async () => {
    // In the morning, the one day of a new group is drawn at a time that is to come.
    await page.clock.setFixedTime(new Date(`${new Date().toISOString().slice(0, 10)}T06:00:00Z`));
    await page.goto(`/groups/${groups[0]}`);
    const planned = page.getByRole('region', { name: 'Scheduled' });
    await planned.getByText('Nothing is scheduled for this group.').waitFor();
    await page.getByRole('region', { name: 'Saved lists' }).getByText('It is in none of your lists.').waitFor();
    for (const name of ['Read rate by post', 'Members over time'])
      await page.getByRole('region', { name }).getByText('Not enough data yet.').waitFor();
    expect(await page.evaluate(LONE_SENTENCES)).toEqual([]);
    expect(await findBarriersAnywhere(page, {})).toEqual([]);

    await send({});
    // Before midnight UTC, a day has begun in Berlin that the report of that morning does not include.
    await page.clock.setFixedTime(new Date());
    await page.goto('/report');
    const best = page.getByRole('region', { name: 'Best hour, Best weekday' });
    await best.getByText('Not enough runs yet').waitFor();
    expect(await page.evaluate(LONE_SENTENCES)).toEqual([]);
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
  });

  test('ends the long name of a file to download with an ellipsis, and says all of it in a tooltip', async () => {
    const media = [];
    for (const name of [`Programme of the ${'spring and summer '.repeat(8)}fair.png`, 'Map.png']) {
      const { body } = await upload(app.url, person.token, drawPng(30 + media.length, 20), { name });
      media.push({ media_id: body.data.media_id, file_name: name });
    }
    const id = await send({ media });
    await page.goto(`/campaigns/${id}`);
    const button = page.getByRole('button', { name: /^Download Programme/ });
    const label = button.getByText(/^Download Programme/);
    await label.waitFor();
    expect(await label.getAttribute('title')).toMatch(/summer fair$/);
    const { style, isCut } = await label.evaluate((element) => {
      // The types of this project contain no DOM.
      const { getComputedStyle } = globalThis as never as { getComputedStyle: (of: never) => { textOverflow: string } };
      const box = element as never as { scrollWidth: number; clientWidth: number };
      return { style: getComputedStyle(element as never).textOverflow, isCut: box.scrollWidth > box.clientWidth };
    });
    expect({ style, isCut }).toEqual({ style: 'ellipsis', isCut: true });
  });

  test('suggests a name that ends with a whole word', async () => {
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Dear neighbours, on Saturday we open the square again with music and cake for everyone');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Campaign name' }).getAttribute('placeholder'))
      .toBe('Dear neighbours, on Saturday we open the square again with…');
  });

  test('lines up the states of runs, and the labels of links and buttons in a bar', async () => {
    const today = Temporal.Now.plainDateISO('Europe/Berlin');
    const answer = await person.call('venom/add-campaign-batch', {
      name: 'Fair',
      html: '<p>We open at nine</p>',
      group_metadata_ids: groups,
      is_schedule: true,
      start_date: today.add({ days: 1 }).toString(),
      end_date: today.add({ days: 7 }).toString(),
      schedule_time: '09:00:00',
    });
    const id = answer.headers.get('x-campaign-id') ?? '';
    await page.goto(`/campaigns/${id}`);
    const states = page.getByRole('region', { name: 'Runs (7)' }).getByText('Scheduled');
    await states.last().waitFor();
    const lefts = await Promise.all((await states.all()).map(left));
    expect(new Set(lefts).size).toBe(1);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/campaigns/${id}/change`);
    const middle = async (of: Locator) => {
      const box = await of.boundingBox();
      return box ? box.y + box.height / 2 : Number.NaN;
    };
    const back = page.getByRole('link', { name: 'Go back' });
    await back.waitFor();
    expect(Math.abs((await middle(back.getByText('Go back'))) - (await middle(back)))).toBeLessThan(1.5);
  });

  test('lines up names of both directions', async () => {
    await sql`update groups set name = 'جيران الحي القديم' where group_id = ${groups[0] ?? 0}`.execute(app.database.db);
    await page.goto('/groups');
    const rows = page.getByRole('row');
    await rows.getByText('جيران').waitFor();
    const names = page.getByRole('cell').getByRole('link');
    const edges = await names.evaluateAll((links) =>
      links.map((link) => {
        const { document } = globalThis as never as {
          document: { createRange(): { selectNodeContents(of: never): void; getBoundingClientRect(): { x: number } } };
        };
        const range = document.createRange();
        range.selectNodeContents(link as never);
        return Math.round(range.getBoundingClientRect().x);
      }),
    );
    expect(edges.length).toBe(groups.length);
    expect(edges.filter((edge) => edge !== edges[0])).toEqual([]);
  });
});
