/** Text overflow: every language fits on a phone, and so does every table. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enter } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';
import { LANGUAGE_TAGS } from '../../src/platform/i18n/languages.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

const PAGES = [
  '/',
  '/campaigns/new',
  '/calendar',
  '/calendar?view=week',
  '/groups',
  '/report',
  '/account',
  '/settings',
  '/phone',
  '/users',
  '/installation',
];
const PHONE = { width: 390, height: 844 };
const LONG_NAME = 'Neighbours of Mill Street and of the lanes behind the old railway station';

/** A workspace in which no table is empty. Returns the paths of the pages about one thing. */
async function fill(person: Person): Promise<string[]> {
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const ids = body.data.groups.map((group) => group.group_metadata_id);
  await sql`update groups set name = ${LONG_NAME} where group_id = any(${ids.slice(0, 2)}::bigint[])`.execute(
    app.database.db,
  );
  const send = async (post: object) => {
    const answer = await person.call<{ campaign_id: string }>('venom/add-campaign', {
      name: LONG_NAME,
      group_metadata_ids: ids,
      ...post,
    });
    return answer.body.data.campaign_id;
  };
  const sent = await send({ html: '<p>We open at nine</p>' });
  const poll = await send({
    html: '',
    poll: { question: LONG_NAME, options: [LONG_NAME, `Not ${LONG_NAME}`, 'Maybe'] },
  });
  for (const campaign_id of [sent, poll])
    await until(
      () => person.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      (answer) => answer.body.data.status === 'completed',
    );
  for (const [path, data] of [
    ['user/create_api_key', { name: LONG_NAME, scopes: ['read', 'send', 'admin'] }],
    ['user/invite', { email: `${'neighbour'.repeat(5)}@${'street.'.repeat(5)}example.org` }],
  ] as const)
    expect((await person.call(path, data)).status, path).toBe(200);
  return [`/campaigns/${sent}`, `/campaigns/${poll}`, `/groups/${ids[0]}`];
}

/** The tables and the boxes that scroll which are wider than there is room for. */
const findWide = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('table, :has(> table)')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.tagName + ' ' + one.innerText.slice(0, 60))`);

test.skipIf(!browser).each(LANGUAGE_TAGS)('pages in %s, and their tables, fit on a phone', async (language) => {
  const person = await app.signUp(`reader-${language.toLowerCase()}`);
  // The pages of the users and of the installation are for administrators.
  await sql`update users set is_admin = true`.execute(app.database.db);
  const own = await fill(person);
  const { page, end } = await visit(browser as Browser, app.url, { locale: language, viewport: PHONE });
  await enter(page, person.name);
  for (const path of [...PAGES, ...own]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(PHONE.width);
    expect(await findWide(page), path).toEqual([]);
  }
  await end();
});
