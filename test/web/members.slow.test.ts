/** Members of a workspace in the dashboard: invite, join, switch, keys, and what a role lacks. */
import { sql } from 'kysely';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser } from '../support/browser/dashboard-user.ts';
import { until } from '../support/ledger.ts';
import { callIn, defaultWorkspace, join, listWorkspaces } from '../support/team.ts';
import { workspaceOf } from '../support/workspaces.ts';

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

  test('an owner invites by a link, an author joins by it, writes and cannot send', async () => {
    await app.signUp('owen');
    await app.signUp('anna');
    await page.goto('/settings#members');
    await signInInBrowser(page, 'owen');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await dialog.getByText('/join#').textContent();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').getByText('By a link').first().waitFor();
    await page.context().clearCookies();

    await page.goto('/sign-in');
    await signInInBrowser(page, 'anna');
    await page.getByRole('link', { name: 'Settings' }).waitFor();
    await page.goto(String(link));
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('button', { name: 'Workspace owen' }).click();
    await page.getByRole('menuitem', { name: 'anna · Owner' }).waitFor();
    await page.keyboard.press('Escape');

    await page.goto('/campaigns/new');
    await page
      .getByText('Your role cannot send. Ask a manager to send it: they find this draft under “Drafts”.')
      .waitFor();
    await page.getByRole('button', { name: 'Send a test…' }).click();
    await page
      .getByRole('dialog')
      .getByText('Ask a manager to send it: they find this draft under “Drafts”.')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/settings');
    await page.getByRole('row').getByText('owen').first().waitFor();
    expect(await page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Workspace owen' }).click();
    await page.getByRole('menuitem', { name: 'anna · Owner' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  test('a person who was removed lands in their own workspace', async () => {
    const [olga, ben] = [await app.signUp('olga'), await app.signUp('ben')];
    const { code } = (await olga.call<{ code: string }>('workspace/invite-member', { role: 'manager' })).body.data;
    await page.goto(`/join#${code}`);
    await page.getByRole('link', { name: 'I have a user' }).click();
    await signInInBrowser(page, 'ben');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await olga.call('workspace/remove-member', { user_id: ben.userId });
    await page.goto('/settings');
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Leave the workspace' }).count()).toBe(0);
    visited.forgive(refused('404'));
  });

  test('the owner sees who made a link to a report, and keeps it when removing its maker', async () => {
    const [oda, may] = [await app.signUp('oda'), await app.signUp('may')];
    const workspaceId = await defaultWorkspace(oda);
    await join(app, { owner: oda, workspaceId, role: 'manager' }, may);
    const span = { start_date: '2026-05-01', end_date: '2026-05-31' };
    await callIn(app, may, workspaceId, 'analytics/share-report', span);
    const list = async () => (await oda.call<{ links: object[] }>('analytics/list-report-links')).body.data.links;
    await page.goto('/report');
    await signInInBrowser(page, 'oda');
    await page.getByRole('button', { name: 'Share by link' }).click();
    await page.getByRole('dialog').getByText('made by may').waitFor();
    await page.goto('/settings#members');
    await page.getByRole('button', { name: /^Remove may/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Keep their links to reports' }).check();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await list()).toMatchObject([{ created_by: { user_name: 'may' } }]);
    await join(app, { owner: oda, workspaceId, role: 'manager' }, may);
    await page.reload();
    await page.getByRole('button', { name: /^Remove may/ }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await list()).toEqual([]);
  });

  test('two tabs that show different workspaces act each in its own', async () => {
    const [uma, vic] = [await app.signUp('uma'), await app.signUp('vic')];
    await join(app, { owner: uma, workspaceId: await defaultWorkspace(uma), role: 'analyst' }, vic);
    await page.goto(`/settings?workspace=${await defaultWorkspace(vic)}`);
    await signInInBrowser(page, 'vic');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`/settings?workspace=${await defaultWorkspace(uma)}`);
    await other.getByRole('button', { name: 'Leave the workspace' }).waitFor();
    await page.getByLabel('Name of the workspace').fill('The parish of Vic');
    await page.getByRole('region', { name: 'Members' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await listWorkspaces(vic)).toMatchObject([{ name: 'The parish of Vic' }, { name: 'uma' }]);
  });

  test('the workspace that was opened last opens on the next device, and the default one stays for programs', async () => {
    const [yda, zoe] = [await app.signUp('yda'), await app.signUp('zoe')];
    const theirs = await defaultWorkspace(yda);
    await join(app, { owner: yda, workspaceId: theirs, role: 'manager' }, zoe);
    await page.goto('/sign-in');
    await signInInBrowser(page, 'zoe');
    // Who joins goes on there.
    await page.getByRole('button', { name: 'Workspace yda' }).click();
    await page.getByRole('menuitem', { name: 'zoe · Owner' }).click();
    await page.getByRole('button', { name: 'Workspace zoe' }).waitFor();
    const remembered = () =>
      sql<{ role: string }>`
        select role from memberships where user_id = ${zoe.userId} order by opened_at desc nulls last limit 1`.execute(
        app.database.db,
      );
    await until(remembered, ({ rows }) => rows[0]?.role === 'owner');
    const open = async () => {
      const device = await visit(browser as Browser, app.url);
      onTestFinished(() => device.end());
      await device.page.goto('/sign-in');
      await signInInBrowser(device.page, 'zoe');
      return device.page;
    };
    await (await open()).getByRole('button', { name: 'Workspace zoe' }).waitFor();
    await page.goto(`/?workspace=${theirs}`);
    await page.getByRole('button', { name: 'Workspace yda' }).waitFor();
    await until(remembered, ({ rows }) => rows[0]?.role === 'manager');
    await (await open()).getByRole('button', { name: 'Workspace yda' }).waitFor();
    expect((await listWorkspaces(zoe)).map(({ name, is_default: isDefault }) => [name, isDefault])).toEqual([
      ['zoe', true],
      ['yda', false],
    ]);
  });

  test('a person makes a workspace of their own, and is in it', async () => {
    const [abe, bea] = [await app.signUp('abe'), await app.signUp('bea')];
    await join(app, { owner: abe, workspaceId: await defaultWorkspace(abe), role: 'author' }, bea);
    await page.goto('/sign-in');
    await signInInBrowser(page, 'bea');
    await page.getByRole('button', { name: 'Workspace abe' }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByRole('dialog').getByLabel('Name of the workspace').fill('Choir of Bea');
    await page.getByRole('dialog').getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'Workspace Choir of Bea' }).waitFor();
    await page.getByText('Sandbox', { exact: true }).first().waitFor();
    expect((await listWorkspaces(bea)).map(({ name, role }) => [name, role])).toEqual([
      ['bea', 'owner'],
      ['Choir of Bea', 'owner'],
      ['abe', 'author'],
    ]);
  });

  test('a link to something that is no workspace opens the default one', async () => {
    await app.signUp('wim');
    await page.goto(`/settings?workspace=${encodeURIComponent('Ā')}`);
    await signInInBrowser(page, 'wim');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('a new key gets the scopes and the role that were chosen', async () => {
    const xena = await app.signUp('xena');
    await page.goto('/settings');
    await signInInBrowser(page, 'xena');
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Writer');
    await dialog.getByLabel('Read: campaigns, groups and results').uncheck();
    await dialog.getByLabel('Write: drafts, templates, files and group lists').check();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Author' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Copy it now').waitFor();
    const { body } = await xena.call<{ api_keys: object[] }>('user/list_api_keys');
    expect(body.data.api_keys).toMatchObject([{ name: 'Writer', scopes: ['write'], role: 'author' }]);
  });

  test('shows an analyst no button that leads to a refusal', async () => {
    const [olaf, iris] = [await app.signUp('olaf'), await app.signUp('iris')];
    const workspaceId = await defaultWorkspace(olaf);
    await join(app, { owner: olaf, workspaceId, role: 'analyst' }, iris);
    const pages = await fillWorkspace(olaf);
    const walk = startWalk(page);
    await page.goto(`/?workspace=${workspaceId}`);
    await signInInBrowser(page, 'iris');
    await page.getByRole('link', { name: 'Fair' }).first().waitFor();
    for (const path of pages) await walk.press(path);
    expect(walk.pressed.length).toBeGreaterThan(30);
    expect(walk.refusals).toEqual([]);
  });
});

/** Fills a workspace with something of each kind, a failed post among them. Returns the paths of its pages. */
async function fillWorkspace(owner: Person): Promise<string[]> {
  const { groups } = (await owner.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body
    .data;
  const post = { html: 'Hello', group_metadata_ids: groups.map(({ group_metadata_id: id }) => id) };
  await sql`
    update sandbox_chats set workspace_id = workspace_id + 1000000
    where name = 'Chess friends' and workspace_id = (select workspace_id from accounts where workspace_id = ${workspaceOf(owner)})`.execute(
    app.database.db,
  );
  const { campaign_id: sent } = (
    await owner.call<{ campaign_id: string }>('venom/add-campaign', { ...post, name: 'Fair' })
  ).body.data;
  const today = Temporal.Now.plainDateISO('UTC');
  const planned = await owner.call('venom/add-campaign-batch', {
    ...post,
    name: 'Every morning',
    is_schedule: true,
    start_date: today.toString(),
    end_date: today.add({ days: 2 }).toString(),
    schedule_time: '23:59:00',
  });
  const list = await owner.call<{ group_list_id: number }>('venom/save-group-list', {
    name: 'All',
    group_metadata_ids: post.group_metadata_ids,
  });
  await owner.call('venom/save-draft', { draft_id: crypto.randomUUID(), version: 0, name: 'Draft' });
  await until(
    () =>
      owner.call<{ campaign: { status: string } }>('analytics/get-campaign-group-analytics-master', {
        campaign_id: sent,
      }),
    ({ body }) => body.data.campaign.status === 'completed_with_errors',
  );
  const id = planned.headers.get('x-campaign-id');
  return [
    '/',
    `/campaigns/${sent}`,
    `/campaigns/${id}`,
    `/campaigns/${id}/change`,
    '/campaigns/new',
    '/calendar',
    '/calendar?view=week',
    '/groups',
    `/groups?list=${list.body.data.group_list_id}`,
    `/groups/${post.group_metadata_ids[0]}`,
    '/report',
    '/account',
    '/phone',
  ];
}

/** Presses the buttons of pages, each name once, and what they open. */
function startWalk(page: Page) {
  const [refusals, pressed] = [new Array<string>(), new Array<string>()];
  let pending = 0;
  page.on('request', (request) => (pending += Number(request.method() === 'POST')));
  const end = (request: Request) => (pending -= Number(request.method() === 'POST'));
  page.on('requestfinished', end).on('requestfailed', end);
  page.on('response', (response) => {
    if (response.status() === 403) refusals.push(`${response.url()} after ${pressed.at(-1)}`);
  });

  async function settle() {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await until(
      () => pending,
      (open) => open <= 0,
    );
  }
  /** Presses the first of the elements that was not pressed yet. Returns its key; undefined: there is none. */
  async function pressNext(within: Locator, under: string): Promise<string | undefined> {
    const names = await within.evaluateAll((elements) =>
      (elements as unknown as NamedElement[]).map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
    );
    const at = names.findIndex((name) => !pressed.includes(`${under}${name}`));
    if (at < 0) return undefined;
    pressed.push(`${under}${names[at]}`);
    await within.nth(at).click();
    await settle();
    return `${under}${names[at]}`;
  }

  return {
    refusals,
    pressed,
    async press(path: string) {
      for (;;) {
        await page.goto(path);
        await settle();
        const button = await pressNext(page.locator('main button:visible:enabled'), '');
        if (button === undefined) return;
        const opened = page.locator('[role=menuitem]:visible, [role=dialog] button:visible:enabled');
        const inner = await pressNext(opened, `${button} > `);
        // The rest of what it opened follows.
        if (inner !== undefined) pressed.splice(pressed.indexOf(button), 1);
      }
    },
  };
}

interface NamedElement {
  getAttribute(name: string): string | null;
  textContent: string | null;
}
