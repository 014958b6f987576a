/** Accessibility (axe): no page and no dialog has violations, light, dark and on a phone. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp } from '../support/app.ts';
import { DESK, findBarriersAnywhere } from '../support/browser/barriers.ts';
import { CUT, launchBrowser, refused, type Visit, visit } from '../support/browser/browser.ts';
import { enter, findBarriers, follow } from '../support/browser/dashboard-page.ts';
import { moreOf, signUpInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { until } from '../support/ledger.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

const PUBLIC = [
  '/sign-in',
  '/sign-up',
  '/goodbye',
  '/forgot-password',
  '/reset-password#x',
  '/accept-invite#x',
  '/verify-email#x',
  '/join',
  '/join#x',
  '/shared-report#x',
];
const LAYERS = '#layers';
const TOASTS = '.mantine-Notifications-root';

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  /** The address of a group, of a campaign that is sent, of one that could not be sent to that group, and of one that is scheduled. */
  const approval = randomUUID();
  let group: string;
  let sent: string;
  let failed: string;
  let scheduled: string;
  let add: (how: string, campaign: object) => Promise<string>;

  beforeAll(async () => {
    const first = await visit(browser as Browser, app.url);
    await signUpInBrowser(first.page, 'ada');
    await first.close();
    const ada = await app.signIn('ada');
    const { body } = await ada.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const ids = body.data.groups.map((one) => one.group_metadata_id);
    group = `/groups/${ids[0]}`;
    const post = { html: '<p>Hello</p>', group_metadata_ids: ids };
    add = async (how, campaign) => {
      const answer = await ada.call<{ campaign_id: string }>(`venom/${how}`, { ...post, ...campaign });
      return `/campaigns/${answer.body.data.campaign_id ?? answer.headers.get('x-campaign-id')}`;
    };
    sent = await add('add-campaign', { name: 'Hello' });
    // Where the posts of the group go, and which is nobody's while it is turned round.
    const turnRound = () =>
      sql`update groups set send_to = reverse(send_to) where group_id = ${ids[0]}`.execute(app.database.db);
    await turnRound();
    failed = await add('add-campaign', { name: 'Last call' });
    const campaign_id = failed.slice(-36);
    await until(
      () => ada.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      (answer) => answer.body.data.status.startsWith('completed'),
    );
    await turnRound();
    const today = Temporal.Now.plainDateISO('UTC');
    scheduled = await add('add-campaign-batch', {
      name: 'Every morning',
      image: PNG.toString('base64'),
      is_schedule: true,
      start_date: today.add({ days: 1 }).toString(),
      end_date: today.add({ days: 9 }).toString(),
      schedule_time: '09:00:00',
    });
    await ada.call('workspace/set-approval-rules', { approval: 'authors' });
    await ada.call('venom/request-approval', {
      approval_id: approval,
      name: 'Fair',
      html: 'Hello',
      is_schedule: false,
      group_metadata_ids: ids,
      remark: 'Is the day right?',
    });
    await ada.call('venom/save-group-list', { name: 'Clubs', group_metadata_ids: ids });
    await ada.call('venom/save-template', { template_id: randomUUID(), version: 0, name: 'Weekly', html: '<p>We' });
    await ada.call('venom/save-draft', { draft_id: randomUUID(), version: 0, name: 'Half done', html: '<p>We' });
  });

  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url, { viewport: DESK });
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  /** The page has come to rest: nothing stands in for what is still to come. */
  async function settle(): Promise<void> {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    await page.evaluate('document.fonts.ready');
  }

  async function open(path: string): Promise<void> {
    await page.goto(path);
    await settle();
  }

  /** Opens it from another page. */
  async function openFrom(path: string): Promise<void> {
    await follow(page, path);
    await settle();
  }

  const look = (within?: string, show?: () => Promise<void>) => findBarriersAnywhere(page, { within, show });

  /** Of what has opened on top of the page, which is closed again. */
  async function lookAtTop(): Promise<string[]> {
    const found = await look(LAYERS);
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.locator(`${LAYERS} :is([role=dialog], [role=menu], [role=listbox]):visible`).count())
      .toBe(0);
    return found;
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');

  test('pages without a user have no accessibility violations', async () => {
    const found: string[] = [];
    for (const path of PUBLIC) {
      await open(path);
      found.push(...(await look()));
    }
    expect(found).toEqual([]);
    // Codes that do not hold.
    visited.forgive(refused('40[04]'));
  });

  test('a report that was shared has no accessibility violations', async () => {
    const ada = await app.signIn('ada');
    const today = Temporal.Now.plainDateISO('UTC').toString();
    const { body } = await ada.call<{ path: string }>('analytics/share-report', { start_date: today, end_date: today });
    await open(body.data.path);
    await page.getByText('Posts sent').first().waitFor();
    expect(await look()).toEqual([]);
  });

  test('pages of a workspace in which nothing was made yet have no accessibility violations', async () => {
    await app.signUp('eve');
    await enter(page, 'eve');
    const found: string[] = [];
    await open('/');
    for (const path of ['/', '/calendar', '/groups', '/groups/fields', '/report', '/unsent', '/templates', '/phone']) {
      await openFrom(path);
      found.push(...(await look()));
    }
    expect(found).toEqual([]);
  });

  test('pages have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/');
    const paths = [
      '/',
      '/campaigns/new',
      '/calendar',
      '/calendar?view=week',
      '/groups',
      group,
      '/report',
      '/account',
      '/settings',
      '/phone',
      '/users',
      '/installation',
      '/unsent',
      '/templates',
      failed,
      sent,
      scheduled,
      `${scheduled}/change`,
      `/approvals/${approval}`,
    ];
    const found: string[] = [];
    for (const path of paths) {
      await openFrom(path);
      found.push(...(await look()));
    }
    await open('/nowhere');
    found.push(...(await look()));
    expect(found).toEqual([]);
    // An address that leads nowhere is served as such.
    visited.forgive(refused('404'));
  });

  test('pages and dialogs of a workspace with several accounts have no accessibility violations', async () => {
    const bea = await app.signUp('bea');
    const { body } = await bea.call<{ account_id: AccountId }>('venom/add-account', { name: 'Backup' });
    const { account_id: id } = body.data;
    await bea.call('venom/sync-groups', { account_id: id });
    const [first] = await groupsOf(bea);
    for (const reason of ['A trial', 'It is known there'])
      await bea.call('venom/set-senders', { group_metadata_ids: [first], account_ids: [id], reason });
    await enter(page, 'bea');
    const found: string[] = [];
    await open(`/account?account=${id}`);
    for (const name of ['Rename', 'Unlink', 'Add account']) {
      await button(name).click();
      await dialog().waitFor();
      found.push(...(await lookAtTop()));
    }
    await bea.call('venom/disconnect-account', { account_id: id });
    await open(`/account?account=${id}`);
    await page.getByText('The account is not linked', { exact: false }).first().waitFor();
    found.push(...(await look()));
    await open(`/groups/${first}`);
    await button('Earlier').click();
    found.push(...(await look()));
    await button('Change…').click();
    await dialog().getByRole('combobox', { name: 'Stand-ins' }).click();
    await page.getByRole('option', { name: 'Main account' }).waitFor();
    found.push(...(await look(LAYERS)));
    await open('/settings');
    await page.getByRole('radio', { name: 'Hand over to' }).check();
    found.push(...(await look()));
    expect(found).toEqual([]);
  });

  test('pages without a network have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/');
    await page.context().setOffline(true);
    await page.getByText('Offline since', { exact: false }).waitFor();
    expect(await look()).toEqual([]);
    visited.forgive(CUT);
  });

  test('global dialogs and the list of campaigns have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/');
    const found: string[] = [];
    await page.keyboard.press('Control+k');
    await dialog().getByRole('combobox').fill('vill');
    await page.getByRole('option', { name: /Village news/ }).waitFor();
    found.push(...(await lookAtTop()));
    await page.keyboard.press('?');
    await dialog().getByText('Why is nothing being sent?').click();
    found.push(...(await lookAtTop()));
    await button('Actions for Every morning').click();
    await page.getByRole('menuitem', { name: 'Cancel campaign' }).waitFor();
    found.push(...(await lookAtTop()));
    await button('ada').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    found.push(...(await lookAtTop()));
    expect(found).toEqual([]);
  });

  test('dialogs of the compose page have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/campaigns/new');
    const found: string[] = [];
    await button('Drafts (1)').click();
    await page.getByRole('menuitem', { name: /Half done/ }).waitFor();
    found.push(...(await lookAtTop()));
    await writeMessage(page, 'Hello');
    await button('Link').click();
    await page.getByRole('textbox', { name: 'Address' }).waitFor();
    found.push(...(await lookAtTop()));
    await button('Saved lists').click();
    await page.getByRole('menuitem', { name: /Clubs/ }).waitFor();
    found.push(...(await lookAtTop()));
    await button('Select all matching').click();
    await button('Save as list…').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await button('Send a test…').click();
    await dialog().getByRole('combobox', { name: 'Group', exact: true }).click();
    await page.getByRole('option', { name: 'Village news' }).click();
    await dialog().getByText('will see it', { exact: false }).waitFor();
    found.push(...(await lookAtTop()));
    await page.getByRole('button', { name: /^Send to \d+ simulated groups now$/ }).click();
    await dialog().getByText('Sending takes', { exact: false }).waitFor();
    found.push(...(await lookAtTop()));
    await page.getByText('On a schedule').click();
    await button('First day').click();
    await page.getByRole('dialog', { name: 'First day' }).waitFor();
    found.push(...(await look(LAYERS)));
    // The calendar renders again at another width, and the focus is gone.
    await page.getByRole('button', { name: 'Next month' }).press('Escape');
    await page.getByRole('dialog', { name: 'First day' }).waitFor({ state: 'hidden' });
    await button('Daily').click();
    await button('Skip days').click();
    await page.getByRole('group', { name: 'Skip days' }).getByRole('button', { pressed: true }).first().click();
    await page.getByText('1 day is skipped', { exact: false }).waitFor();
    found.push(...(await lookAtTop()));
    await page.getByRole('combobox', { name: 'Time zone' }).fill('United');
    await page.getByRole('option', { name: 'Chicago' }).waitFor();
    found.push(...(await lookAtTop()));
    expect(found).toEqual([]);
  });

  test('dialogs of the campaign page have no accessibility violations', async () => {
    await enter(page, 'ada');
    // A quarter of an hour after a post nobody can edit it, and the first one may be older.
    await open(await add('add-campaign', { name: 'Good evening' }));
    const found: string[] = [];
    for (const name of ['Edit sent posts…', 'Delete for everyone…']) {
      await button(name).click();
      await dialog().waitFor();
      await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
      found.push(...(await lookAtTop()));
    }
    await moreOf(page, 'Delete…');
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await open(failed);
    await page.getByRole('region', { name: '1 post failed' }).getByRole('button', { expanded: false }).click();
    await button('Copy names').waitFor();
    found.push(...(await look()));
    await open(scheduled);
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Cancel campaign' }).waitFor();
    found.push(...(await lookAtTop()));
    await moreOf(page, 'Cancel campaign');
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await open(`${scheduled}/change`);
    await page.getByLabel('Campaign name').fill('Good morning');
    await button('Save changes').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    expect(found).toEqual([]);
  });

  test('menus and dialogs of runs, and the notices, have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open(scheduled);
    const found: string[] = [];
    const menu = page.getByRole('button', { name: /^Actions for Every morning, / }).first();
    for (const item of ['Send now', 'Move…', 'Skip']) {
      await menu.click();
      await page.getByRole('menuitem', { name: item }).waitFor();
      if (item === 'Move…') {
        found.push(...(await lookAtTop()));
        await menu.click();
      }
      await page.getByRole('menuitem', { name: item }).click();
      await dialog().waitFor();
      found.push(...(await lookAtTop()));
    }
    await open(sent);
    await button('Pin…').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await page.getByRole('button', { name: /^Notices/ }).click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    expect(found).toEqual([]);
  });

  test('the sheet of groups on a phone has no accessibility violations', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await enter(page, 'ada');
    await open('/campaigns/new');
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).isVisible()).toBe(false);
    await button('Choose groups').click();
    await dialog().getByRole('checkbox', { name: 'Village news' }).check();
    expect(await findBarriers(page, { within: LAYERS })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    expect(await findBarriers(page, { within: LAYERS, rules: ['color-contrast'] })).toEqual([]);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send to 1 simulated group now' }).waitFor();
  });

  test('dialogs of the groups page have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/groups');
    const found: string[] = [];
    await button('Invite link and QR code of Village news').click();
    await page.getByRole('img', { name: 'QR code of the invite link' }).waitFor();
    found.push(...(await lookAtTop()));
    await button('New').click();
    await page.getByRole('menuitem', { name: 'Group' }).waitFor();
    found.push(...(await lookAtTop()));
    for (const kind of ['Group', 'Community', 'Channel']) {
      await button('New').click();
      await page.getByRole('menuitem', { name: kind }).click();
      await dialog().waitFor();
      found.push(...(await lookAtTop()));
    }
    await page.getByRole('combobox', { name: 'Saved list' }).click();
    await page.getByRole('option', { name: /Clubs/ }).waitFor();
    found.push(...(await look(LAYERS)));
    await page.getByRole('option', { name: /Clubs/ }).click();
    await button('Delete list').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    expect(found).toEqual([]);
  });

  test('dialogs of the settings and toasts have no accessibility violations', async () => {
    await enter(page, 'ada');
    await open('/settings');
    const found: string[] = [];
    await button('New API key').click();
    await dialog().getByLabel('Name').fill('Till');
    found.push(...(await look(LAYERS)));
    await button('Create key').click();
    await button('Copy key').waitFor();
    found.push(...(await look(LAYERS)));
    await button('Done').click();
    await button('Revoke Till').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await button('Delete Campanile account…').click();
    await dialog().waitFor();
    found.push(...(await lookAtTop()));
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'English' }).waitFor();
    found.push(...(await lookAtTop()));
    await page.getByRole('combobox', { name: 'Time zone' }).fill('United');
    await page.getByRole('option', { name: 'Chicago' }).waitFor();
    found.push(...(await lookAtTop()));
    const told = page.getByRole('alert').filter({ hasText: 'Saved.' });
    let saved = 0;
    found.push(
      ...(await look(TOASTS, async () => {
        await page.getByLabel('Last name').fill(`Miller ${++saved}`);
        await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click();
        // It stays while somebody points at it.
        await told.last().getByRole('button', { name: 'Close' }).hover();
      })),
    );
    await open('/account');
    await button('Change').click();
    await dialog().getByLabel('WhatsApp number').fill('0151 23456789');
    await dialog().getByRole('combobox', { name: 'Country code' }).click();
    await page.getByRole('option').first().waitFor();
    found.push(...(await look(LAYERS)));
    expect(found).toEqual([]);
  });
});
