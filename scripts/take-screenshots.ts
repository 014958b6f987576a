/**
 * Pictures of every page, light, dark and on a phone: `npx node scripts/take-screenshots.ts`, then look at them. `--groups 300` takes them
 * with as many groups, `--groups 0` the pages of somebody without any, `--kinds` only the kinds of posts, `--folder` puts them elsewhere.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { Client } from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { post } from '../test/support/app.ts';
import { launchBrowser, visit } from '../test/support/browser/browser.ts';
import { signInInBrowser, signUpInBrowser, writeMessage } from '../test/support/browser/dashboard-user.ts';
import { drawPng } from '../test/support/inputs/draw-png.ts';
import { startReceiver } from '../test/support/servers/receiver.ts';
import { removeService, startService } from '../test/support/service/service.ts';
import { startWhatsAppPeer } from '../harness/whatsapp-peer/peer.ts';
import { addPostKinds } from './post-kinds.ts';

const { values: given } = parseArgs({
  options: { folder: { type: 'string' }, groups: { type: 'string' }, kinds: { type: 'boolean', default: false } },
});
const FOLDER = given.folder === undefined ? join(import.meta.dirname, '../screenshots') : resolve(given.folder);
const GROUPS = Number(given.groups ?? 20);
const SETTLE_MS = 1_200;
/** In ten scripts, two of which are written from right to left, and one name that is longer than there is room for. */
const NAMES = [
  'Neighbours of Mill Street and of the lanes behind the old railway station',
  'Соседи с улицы Мира',
  'Γειτονιά του Αγίου Νικολάου',
  'جيران الحي القديم',
  'שכני הרחוב הגדול',
  'Հին քաղաքի հարևաններ',
  'ძველი ქალაქის მეზობლები',
  'पुराने शहर के पड़ोसी',
  '老城街坊',
  'เพื่อนบ้านเมืองเก่า',
  'Vecinos de San José',
];
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: {},
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true },
};

const browser = await launchBrowser();
if (!browser) throw new Error('there is no browser to take pictures with');
const peer = await startWhatsAppPeer();
const receiver = await startReceiver();
const service = await startService({
  environment: {
    SANDBOX_SPEED: '20',
    LOG_LEVEL: 'info',
    WHATSAPP_URL: peer.url,
    WHATSAPP_ROOT_KEY: peer.rootKey,
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.0/8',
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  },
});
try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const prepared = await prepare(browser);
  for (const [look, options] of Object.entries(LOOKS)) await photograph(browser, look, options, prepared);
} finally {
  await browser.close();
  await service.stop();
  await peer.stop();
  await receiver.close();
  await removeService(service);
}

/** The ids of the campaigns, and the paths of the pages about each kind of post. */
interface Prepared {
  campaigns: Record<string, string>;
  kinds: Record<string, string>;
}

/** Somebody with groups of each kind, campaigns in several states, and a draft. */
async function prepare(chromium: Browser): Promise<Prepared> {
  const { page, close } = await visit(chromium, service.url);
  await signUpInBrowser(page, 'ada');
  await page.screenshot({ path: join(FOLDER, 'first-steps.png') });
  await close();
  const signedIn = await post(service.url, 'user/authorize_user', {
    user_name: 'ada',
    password: 'correct horse battery',
  });
  const { token } = signedIn.body.data as unknown as { token: string };
  const call = async (path: string, body: unknown) => {
    const answer = await post(service.url, path, body, token);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.message ?? answer.status}`);
    return answer;
  };
  if (GROUPS === 0) {
    await runSql('delete from sandbox_chats');
    await call('venom/sync-groups', {});
    return { campaigns: {}, kinds: {} };
  }
  await call('venom/create-community', { community_name: 'Old town', description: '' });
  await call('venom/create-channel', { name: 'Town news', description: '', image: null });
  await addGroups();
  await call('venom/sync-groups', {});
  const listed = await call('venom/list-groups', { limit: 500 });
  const { groups } = listed.body.data as unknown as { groups: { group_metadata_id: number; kind: string }[] };
  const ids = groups.map((group) => group.group_metadata_id);
  const countable = groups.filter(({ kind }) => kind !== 'channel').map((group) => group.group_metadata_id);
  const settle = async () => {
    for (;;) {
      const { campaigns } = (await call('venom/list-campaigns', { status: 'running' })).body.data as unknown as {
        campaigns: object[];
      };
      if (campaigns.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    }
  };
  const kinds = await addPostKinds({ url: service.url, token, call, settle }, countable);
  if (given.kinds) return { campaigns: {}, kinds };
  const add = async (body: object) =>
    (
      (await call('venom/add-campaign', { group_metadata_ids: ids, ...body })).body.data as unknown as {
        campaign_id: string;
      }
    ).campaign_id;
  const now = await add({
    name: 'Spring fair',
    desc: 'First announcement',
    html: '<h2>Spring fair</h2><p>We open at <b>nine</b> on the square. <a href="https://example.org/fair">Programme</a></p><ul><li>Cake</li><li>Tea</li></ul>',
    image: drawPng(480, 320).toString('base64'),
  });
  const recalled = await add({ name: 'Wrong date', html: '<p>The fair is on <b>Monday</b>.</p>' });
  const corrected = await add({ name: 'Where to park', html: '<p>Park <i>behind</i> the church, and come early.</p>' });
  await add({
    name: 'Programme',
    html: '<p>The programme, to print.</p>',
    image: Buffer.from('%PDF-1.4 programme').toString('base64'),
  });
  await settle();
  const failed = await loseGroups(5, () => add({ name: 'Last call', html: '<p>There is a bus at eight.</p>' }), call);
  await call('venom/recall-campaign', { campaign_id: recalled });
  await call('venom/correct-campaign', {
    campaign_id: corrected,
    html: '<p>Park behind the <b>school</b>, and come early.</p>',
  });
  const later = await call('venom/add-campaign-batch', {
    name: 'Good morning',
    html: '<p>The fair opens <i>today</i> at nine.</p>',
    group_metadata_ids: ids.slice(0, 3),
    is_schedule: true,
    start_date: dateIn(1),
    end_date: dateIn(12),
    schedule_time: '09:00:00',
    time_zone: 'Europe/Berlin',
  });
  const scheduled = later.headers.get('x-campaign-id') ?? '';
  const paused = await call('venom/add-campaign-batch', {
    name: 'A weekly digest with a name that is a good deal longer than there is room for',
    html: '<p>Hello</p>',
    group_metadata_ids: ids.slice(0, 9),
    is_schedule: true,
    start_date: dateIn(2),
    end_date: dateIn(20),
    schedule_time: '17:30:00',
    weekdays: [1, 5],
  });
  await call('venom/save-group-list', { name: 'The streets by the river', group_metadata_ids: ids.slice(5, 17) });
  await call('venom/save-group-list', { name: 'Clubs', group_metadata_ids: ids.slice(0, 3) });
  await call('venom/create-webhook', { url: receiver.url, description: 'The newsroom' });
  await call('venom/create-webhook', { url: `${receiver.url}/old`, signature: 'v1a' });
  await call('venom/pause-campaign', { campaign_id: paused.headers.get('x-campaign-id') });
  return { campaigns: { sent: now, corrected, recalled, failed, scheduled }, kinds };
}

async function photograph(
  chromium: Browser,
  look: string,
  options: BrowserContextOptions,
  { campaigns, kinds }: Prepared,
) {
  const { page, complaints, close } = await visit(chromium, service.url, options);
  const take = async (name: string, path?: string) => {
    if (path !== undefined) await page.goto(path);
    await page
      .getByRole('heading', { level: 1 })
      .waitFor()
      .catch((error: unknown) => {
        throw new Error(`${name}: ${complaints.join('\n')}`, { cause: error });
      });
    await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(SETTLE_MS);
    await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`), fullPage: path !== undefined });
  };
  if (given.kinds) {
    await page.goto('/sign-in');
    await signInInBrowser(page, 'ada');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    for (const [name, path] of Object.entries(kinds)) await take(name, path);
    return close();
  }
  await take('sign-in', '/sign-in');
  await take('sign-up', '/sign-up');
  await take('forgot-password', '/forgot-password');
  await take('reset-password', '/reset-password#x');
  await take('accept-invite', '/accept-invite#x');
  await page.goto('/sign-in');
  await signInInBrowser(page, 'ada');
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  await take('campaigns', '/');
  for (const [name, id] of Object.entries(campaigns)) await take(`campaign-${name}`, `/campaigns/${id}`);
  if (GROUPS > 0) {
    await takeDialogs(page, take, campaigns['corrected'] ?? '');
    await take('change', `/campaigns/${campaigns['scheduled']}/change`);
  }
  await take('report', '/report');
  await take('calendar', '/calendar');
  await page.getByText('Week', { exact: true }).click();
  await take('calendar-week');
  await take('groups', '/groups');
  if (GROUPS === 0) {
    for (const name of ['account', 'settings']) await take(name, `/${name}`);
    await take('compose', '/campaigns/new');
    return close();
  }
  await page.getByRole('link', { name: 'Village news' }).click();
  await page.getByRole('heading', { name: 'Village news', level: 1 }).waitFor();
  await take('group');
  await take('account', '/account');
  await take('settings', '/settings');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await take('webhook-new');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Log', exact: true }).first().click();
  await take('webhook-log');
  await take('users', '/users');
  await take('installation', '/installation');
  await take('sandbox-phone', '/phone');
  await takeLists(page, take);
  await takeCompose(page, take);
  await takeLink(page, take, look);
  await takeFactor(page, take, `linda-${look}`);
  await close();
  // What the browser writes of a sign-in that is asked for its code.
  const unexpected = complaints.filter((text) => !/ 401 .*\/session$/.test(text));
  if (unexpected.length > 0) throw new Error(`${look}: ${unexpected.join('\n')}`);
}

async function takeLists(page: Page, take: (name: string, path?: string) => Promise<void>): Promise<void> {
  await page.goto('/groups');
  for (const name of ['Chess friends', 'Village news', 'Old town'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await take('groups-selected');
  await page.getByRole('button', { name: 'Save as list' }).click();
  await take('groups-save-list');
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Saved list' }).click();
  await page.getByRole('option', { name: /Clubs/ }).click();
  await take('groups-list');
}

/** The page for linking WhatsApp, with each kind of code. */
async function takeLink(page: Page, take: (name: string, path?: string) => Promise<void>, look: string): Promise<void> {
  await page.context().clearCookies();
  // A number of her own: no code goes to one that somebody else has entered.
  await signUpInBrowser(page, `linda-${look}`, `+44 20 7946 02${Object.keys(LOOKS).indexOf(look)}1`);
  await page.goto('/account');
  await page.getByRole('radiogroup', { name: 'Messaging app' }).getByText('WhatsApp').click();
  await take('account-whatsapp');
  await page.getByRole('radio', { name: 'It is new' }).check();
  await page.getByRole('button', { name: 'Link with a QR code' }).click();
  await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor();
  await take('account-qr');
  await page.getByRole('button', { name: 'Use a code instead' }).click();
  await page.getByRole('img', { name: /^Code to enter/ }).waitFor();
  await take('account-code');
}

/** Setting up a second factor, and the sign-in with it. */
async function takeFactor(
  page: Page,
  take: (name: string, path?: string) => Promise<void>,
  name: string,
): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
  await take('factor-app');
  const secret = (await dialog.locator('pre').textContent()) ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await dialog.getByRole('textbox', { name: 'Code' }).fill(code);
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByRole('button', { name: 'Copy codes' }).waitFor();
  await take('factor-codes');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await take('settings-factor', '/settings');
  await page.context().clearCookies();
  await page.goto('/');
  await signInInBrowser(page, name);
  await page.getByRole('textbox', { name: 'Code' }).waitFor();
  await take('sign-in-code');
}

async function takeDialogs(
  page: Page,
  take: (name: string, path?: string) => Promise<void>,
  campaign: string,
): Promise<void> {
  await page.goto(`/campaigns/${campaign}`);
  for (const [name, button] of [
    ['more', 'More'],
    ['edit', 'Edit sent posts…'],
    ['delete', 'Delete for everyone…'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await take(`campaign-${name}`);
    await page.keyboard.press('Escape');
  }
}

/** Adds groups until there are as many as asked for, at once: made one by one, the limits of making groups would apply. */
async function addGroups() {
  await runSql(
    `insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
     select 12036300000000000 + n || '@g.us', a.workspace_id, 'group',
            ($1::text[])[1 + n % cardinality($1)] || case when n < cardinality($1) then '' else ' ' || n end, '', 'invite-' || n,
            array(select '+4420794' || lpad((n * 50 + m)::text, 5, '0') from generate_series(1, 3 + n * 7 % 40) m)
     from (select workspace_id from sandbox_chats limit 1) a, generate_series(0, $2 - 1 - (select count(*)::int from sandbox_chats where kind <> 'announcement')) n`,
    [NAMES, GROUPS],
  );
}

/** Makes some groups be gone while something is sent. Nothing a user does comes to that, so it is done behind the service's back. */
async function loseGroups<Sent>(
  many: number,
  send: () => Promise<Sent>,
  call: (path: string, body: unknown) => Promise<unknown>,
) {
  const move = (by: number) =>
    runSql(`update sandbox_chats set workspace_id = workspace_id + $1 where name = any($2)`, [
      by,
      NAMES.slice(0, many),
    ]);
  await new Promise((resolve) => setTimeout(resolve, 3 * SETTLE_MS));
  await move(1_000);
  const sent = await send();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await move(-1_000);
  await call('venom/sync-groups', {});
  return sent;
}

async function runSql(text: string, values: unknown[] = []): Promise<void> {
  const database = new Client({
    host: join(service.folder, 'data/socket'),
    port: 5432,
    user: 'campanile',
    database: 'postgres',
  });
  await database.connect();
  try {
    await database.query(text, values);
  } finally {
    await database.end();
  }
}

async function takeCompose(page: Page, take: (name: string, path?: string) => Promise<void>): Promise<void> {
  await page.goto('/campaigns/new');
  await writeMessage(page, 'Spring *fair*', 'We open at nine. https://example.org/fair ', '', '- Cake', 'Tea');
  await take('compose-begun');
  await pickGroups(page, ['Chess friends', 'Old town']);
  await page.getByRole('button', { name: 'Send a test…' }).click();
  await take('compose-test');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Send to 2 simulated groups now/ }).click();
  await page.getByRole('dialog').getByText('Sending takes').waitFor();
  await take('compose-confirm');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Emoji' }).click();
  await page.getByRole('dialog').getByText('🎂').waitFor();
  await take('compose-emoji');
  await page.keyboard.press('Escape');
  const preview = page.getByRole('button', { name: 'Preview', exact: true });
  if (await preview.isVisible()) {
    await preview.click();
    await take('compose-preview');
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Choose or upload files' }).click();
  await page.getByRole('dialog').getByText('Trailer').waitFor();
  await take('library');
  await page.keyboard.press('Escape');
  await page.getByText('On a schedule').click();
  await take('compose');
  await take('compose-whole', '/campaigns/new');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('s');
  await take('palette');
  await page.keyboard.press('Escape');
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await page.getByText('Why is nothing being sent?').click();
  await take('help');
  await page.keyboard.press('Escape');
}

/** Of many groups the list shows only those that are searched for; on a phone it is a sheet. */
async function pickGroups(page: Page, names: readonly string[]): Promise<void> {
  const sheet = page.getByRole('button', { name: 'Choose groups' });
  const isSheet = await sheet.isVisible();
  if (isSheet) await sheet.click();
  const within = isSheet ? page.getByRole('dialog') : page.locator('main');
  const search = within.getByRole('searchbox', { name: 'Search groups' });
  for (const name of names) {
    await search.fill(name);
    await within.getByRole('checkbox', { name, exact: true }).check();
  }
  await search.fill('');
  if (isSheet) await within.getByRole('button', { name: 'Done' }).click();
}

function dateIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
