/** The bell, and the choice of what it and others tell. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';

/** A headless browser asks nobody for permission, and has no push service of its maker: here is somebody who grants it, and one. */
const PERSON = `
  globalThis.asked = 0;
  let permission = 'default';
  Object.defineProperty(Notification, 'permission', { get: () => permission });
  Notification.requestPermission = async () => {
    globalThis.asked += 1;
    return (permission = 'granted');
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    globalThis.subscribedFor = applicationServerKey;
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    };
    return { toJSON: () => ({ endpoint: 'https://push.example.com/1', keys }) };
  };`;
const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200, smtpUrl: 'smtp://127.0.0.1:9' });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.addInitScript(PERSON);
  });
  afterEach(() => visited.end());

  /** As if it had happened to the last who signed up. */
  const happen = (type: string, data: object) =>
    sql`
      insert into events (workspace_id, type, data)
      select max(workspace_id), ${type}, ${JSON.stringify(data)}::jsonb from workspaces`.execute(app.database.db);
  const bell = (name: string | RegExp) => page.getByRole('button', { name });

  test('counts unread notices live, and marks them read when the list is opened', async () => {
    await enterAsNew(page, 'ada');
    await page.goto('/');
    await bell('Notices').waitFor();
    const groups = await askInBrowser<{ groups: Array<{ group_metadata_id: number }> }>(page, 'venom/list-groups');
    const { campaign_id } = await askInBrowser<{ campaign_id: string }>(page, 'venom/add-campaign', {
      name: 'Spring fair',
      html: 'Hello',
      group_metadata_ids: [groups.groups[0]?.group_metadata_id],
    });
    await bell('Notices, 1 unread').click();
    const list = page.getByRole('dialog', { name: /^Notices/ });
    await list.getByRole('link', { name: 'Spring fair has ended: all posts were sent.' }).waitFor();
    await bell('Notices').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: 'Spring fair' }).click();
    await page.waitForURL(`**/campaigns/${campaign_id}`);
    expect(await askInBrowser(page, 'user/list_notices')).toMatchObject({ unread_count: 0 });
  });

  test('asks for push permission only by button, and sends only the chosen notices', async () => {
    await enterAsNew(page, 'bea');
    await happen('campaign.late', {
      campaign_id: crypto.randomUUID(),
      name: 'Late',
      due_at: '2030-01-01T09:00:00.000Z',
    });
    await page.goto('/settings#notices');
    const region = page.getByRole('region', { name: 'Notices' });
    const late = region.getByRole('checkbox', { name: 'A campaign is late: Dashboard' });
    await late.waitFor();
    expect(await region.getByRole('checkbox').count()).toBe(13 * 3);
    await bell('Notices, 1 unread').waitFor();
    // Not `uncheck`, which looks at it before React has drawn what was chosen.
    await late.click();
    await expect.poll(() => late.isChecked()).toBe(false);
    await bell(/^Notices$/).waitFor();
    await region.getByRole('checkbox', { name: 'A campaign ended: Email' }).click();
    await until(
      () => askInBrowser<{ kinds: object[] }>(page, 'user/get_notice_settings'),
      ({ kinds }) =>
        JSON.stringify(kinds[0]) === JSON.stringify({ kind: 'campaign_done', bell: true, browser: true, email: true }),
    );
    await region.getByRole('button', { name: 'Turn on in this browser' }).waitFor();
    expect(await page.evaluate('globalThis.asked')).toBe(0);
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0);
    expect(await findBarriers(page, { within: '#notices' })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page, { within: '#notices' })).toEqual([]);
  });

  test('the worker of the build shows what it is pushed, in the text that the service wrote', async () => {
    await enterAsNew(page, 'cleo');
    await page.goto('/');
    await bell('Notices').waitFor();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('button', { name: 'Turn on in this browser' }).click();
    await page.getByText('You get notices in this browser, even while').waitFor();
    const { push_public_key: key } = await askInBrowser<{ push_public_key: string }>(page, 'user/get_notice_settings');
    expect(await page.evaluate('globalThis.subscribedFor')).toBe(key);
    const { rows } = await sql<{ endpoint: string }>`select endpoint from push_subscriptions`.execute(app.database.db);
    expect(rows).toEqual([{ endpoint: 'https://push.example.com/1' }]);

    const [worker] = page.context().serviceWorkers();
    if (!worker) throw new Error('there is no service worker');
    // It has no permission either.
    await worker.evaluate(`globalThis.shown = [];
      ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag }) => void shown.push({ title, body, tag })`);
    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
        if (first) resolve(first.registrationId);
      }),
    );
    await devtools.send('ServiceWorker.enable');
    const registrationId = await registered;
    const push = (kind: string, text: string) =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        origin: app.url,
        registrationId,
        data: JSON.stringify({ kind, text, page: '/' }),
      });
    await push('campaign_done', '5 Kampagnen sind beendet.');
    await push('campaign_failed', 'Spring fair has ended; some posts could not be sent.');
    const shown = await until(
      () => worker.evaluate('globalThis.shown'),
      (all) => (all as unknown[]).length === 2,
    );
    expect(shown).toEqual([
      { title: 'Campanile', body: '5 Kampagnen sind beendet.', tag: 'campaign_done' },
      {
        title: 'Campanile',
        body: 'Spring fair has ended; some posts could not be sent.',
        tag: 'campaign_failed',
      },
    ]);
  });
});
