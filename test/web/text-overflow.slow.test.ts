/** Text overflow: every language fits on a phone, and so does every table. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enter, follow } from '../support/browser/dashboard-page.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { until } from '../support/ledger.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { upload } from '../support/upload.ts';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import { LANGUAGE_TAGS } from '../../src/platform/i18n/languages.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const app = await startTestApp({ sandboxSpeed: 200, egress: { allowHttp: true, allowed, proxy: {} } });
const receiver = await startReceiver();
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

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
  '/unsent',
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
  const approval_id = randomUUID();
  for (const [path, data] of [
    ['user/create_api_key', { name: LONG_NAME, scopes: ['read', 'send', 'admin'] }],
    ['workspace/set-approval-rules', { approval: 'authors' }],
    ['venom/request-approval', { approval_id, name: LONG_NAME, html: 'Ten, then', group_metadata_ids: ids }],
    ['user/invite', { email: `${'neighbour'.repeat(5)}@${'street.'.repeat(5)}example.org` }],
  ] as const)
    expect((await person.call(path, data)).status, path).toBe(200);
  const account = await addAccount(person, ids);
  return [account, `/approvals/${approval_id}`, `/campaigns/${sent}`, `/campaigns/${poll}`, `/groups/${ids[0]}`];
}

/** A second account, which is not linked, and a rule about it. Returns the path of its page. */
async function addAccount(person: Person, groupIds: readonly number[]): Promise<string> {
  const { body } = await person.call<{ account_id: AccountId }>('venom/add-account', { name: LONG_NAME });
  const { account_id: id } = body.data;
  await person.call('venom/sync-groups', { account_id: id });
  const rule = { account_ids: [id], reason: `${LONG_NAME} ${'reason'.repeat(20)}` };
  for (const group_metadata_ids of [undefined, groupIds.slice(0, 1)])
    expect((await person.call('venom/set-senders', { ...rule, group_metadata_ids })).status).toBe(200);
  expect((await person.call('venom/disconnect-account', { account_id: id })).status).toBe(200);
  return `/account?account=${id}`;
}

/** The tables and the boxes that scroll which are wider than there is room for. */
const findWide = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('table, :has(> table)')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.tagName + ' ' + one.innerText.slice(0, 60))`);

/** The buttons that have no room for their label. */
const findClipped = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, a')]
    .flatMap((one) => [...one.querySelectorAll('.mantine-Button-label')])
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).position !== 'absolute')
    .map((one) => one.innerText)`);

/** Measures the rows of tables and of `li`s in dialogs: those whose name is below 40 %, or that are too low or too high. */
const findOddRows = (page: Page, [low, high]: readonly [number, number]) =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('tbody tr:not([aria-hidden]), [role=dialog] li')].flatMap((row) => {
    const { width, height } = row.getBoundingClientRect();
    const cells = row.tagName === 'TR' ? [...row.children] : [row.firstElementChild];
    const name = cells.find((cell) => !cell.querySelector('input[type=checkbox]'));
    const share = name.getBoundingClientRect().width / width;
    // What is no table has two lines everywhere. Differences in the audit log take a line each.
    const most = row.querySelector('ins, del') ? Infinity : row.tagName === 'TR' ? ${high} : 72;
    return width === 0 || (share >= 0.395 && height >= ${low} && height <= most)
      ? []
      : [row.innerText.replaceAll(/\\s+/g, ' ').slice(0, 60) + ': ' + Math.round(share * 100) + ' %, ' + Math.round(height) + ' px'];
  })`);

/** Opens what has rows and is no page of its own. */
const DIALOGS: ReadonlyArray<readonly [path: string, open: (page: Page) => Promise<void>]> = [
  ['/campaigns/new', (page) => page.getByRole('button', { name: 'Choose or upload files', exact: true }).click()],
  ['/settings', (page) => page.getByRole('button', { name: 'Log', exact: true }).click()],
  [
    '/users',
    async (page) => {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Details' }).click();
    },
  ],
];

test.skipIf(!browser).each([
  ['a desk', { width: 1280, height: 860 }, [44, 56]],
  // Two lines.
  ['a phone', PHONE, [44, 72]],
] as const)('rows of tables on %s have room for the name, and a height', async (_where, viewport, heights) => {
  const person = await app.signUp(`rows-${viewport.width}`);
  await sql`update users set is_admin = true`.execute(app.database.db);
  const own = await fill(person);
  await addFileAndWebhook(person);
  const { page, end } = await visit(browser as Browser, app.url, { viewport });
  await enter(page, person.name);
  await page.goto('/');
  const expectRoom = async (what: string) => {
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    expect(await findOddRows(page, heights), what).toEqual([]);
    expect(await findWide(page), what).toEqual([]);
  };
  for (const path of [...PAGES, ...own]) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectRoom(path);
  }
  for (const [path, open] of DIALOGS) {
    await page.goto(path);
    await open(page);
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').locator('li, tr, input[type=checkbox]').first().waitFor();
    await expectRoom(`the dialog of ${path}`);
    const room = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role=dialog]'))`;
    expect(await page.evaluate(room), path).toBe(0);
  }
  await end();
});

/** A file with a long name, and a webhook that was sent a test. */
async function addFileAndWebhook(person: Person): Promise<void> {
  expect((await upload(app.url, person.token, PNG, { name: `${LONG_NAME}.png` })).status).toBe(200);
  const { body } = await person.call<{ webhook_id: number }>('venom/create-webhook', { url: receiver.url });
  expect((await person.call('venom/test-webhook', { webhook_id: body.data.webhook_id })).status).toBe(200);
}

test.skipIf(!browser).each(LANGUAGE_TAGS)('pages in %s, and their tables, fit on a phone', async (language) => {
  const person = await app.signUp(`reader-${language.toLowerCase()}`);
  // The pages of the users and of the installation are for administrators.
  await sql`update users set is_admin = true`.execute(app.database.db);
  const own = await fill(person);
  const { page, end } = await visit(browser as Browser, app.url, { locale: language, viewport: PHONE });
  await enter(page, person.name);
  await page.goto('/');
  for (const path of [...PAGES, ...own]) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(PHONE.width);
    expect(await findWide(page), path).toEqual([]);
    expect(await findClipped(page), path).toEqual([]);
  }
  await end();
});

test.skipIf(!browser).each(LANGUAGE_TAGS)(
  'the button that sends to 1,203 groups fits on a phone in %s',
  async (language) => {
    const person = await app.signUp(`sender-${language.toLowerCase()}`);
    const [first] = await groupsOf(person);
    const { rows } = await sql<{ group_id: number }>`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select g.workspace_id, i || '@g.us', i || '@g.us', 'group', 'Group ' || i, 3, true
    from groups g, generate_series(100001, 101203) i where g.group_id = ${first}
    returning group_id`.execute(app.database.db);
    await sql`
    insert into group_accounts (group_id, account_id, can_send)
    select i.group_id, m.account_id, true from unnest(${rows.map((row) => row.group_id)}::bigint[]) i (group_id), group_accounts m
    where m.group_id = ${first}`.execute(app.database.db);
    const draft = { draft_id: randomUUID(), version: 0, name: 'Fair', html: '<p>We open</p>' };
    const group_metadata_ids = rows.map((row) => row.group_id);
    expect((await person.call('venom/save-draft', { ...draft, group_metadata_ids })).status).toBe(200);
    const { page, end } = await visit(browser as Browser, app.url, { locale: language, viewport: PHONE });
    await enter(page, person.name);
    await page.goto(`/campaigns/new?draft=${draft.draft_id}`);
    const button = page.getByRole('button', { name: /1[.,\u00a0 ]?203/ }).last();
    await button.waitFor();
    expect(await findClipped(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await end();
  },
);
