/** The dashboard on a bad day: a real browser whose network is cut, by the browser itself and on the way to the service. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Person } from '../support/app.ts';
import { CUT, launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { findBarriers } from '../support/browser/dashboard-page.ts';
import { signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { startProxy } from '../support/servers/proxy.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
const network = await startProxy(() => ({ host: '127.0.0.1', port: Number(new URL(app.url).port) }));
afterAll(async () => {
  await network.close();
  await app.stop();
});

const BAR = /^Offline since \d\d:\d\d\. Reconnecting…$/;

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let person: Person;
  let people = 0;
  beforeEach(async () => {
    person = await app.signUp(`off${++people}`);
    visited = await visit(browser as Browser, `http://127.0.0.1:${network.port}`);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(async () => {
    network.heal();
    visited.forgive(CUT);
    await visited.end();
  });

  const campaigns = async () => {
    const { body } = await person.call<{ campaigns: Array<{ name: string }> }>('venom/list-campaigns');
    return body.data.campaigns.map(({ name }) => name);
  };
  const isConnected = () => page.getByText(BAR).waitFor({ state: 'detached' });

  async function writeToAll(): Promise<void> {
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Not to be sent');
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await page.getByText('Ready to send.').waitFor();
    await page.getByRole('button', { name: /^Send to \d+ simulated groups? now$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).waitFor();
  }
  const pressSend = () =>
    page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).click({ noWaitAfter: true });
  const goBack = () => page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();

  test('fails a change at once without a network, and does not send it later', async () => {
    await writeToAll();
    await page.context().setOffline(true);
    await pressSend();
    await page.getByRole('dialog').getByText('You’re offline. Nothing was sent.').waitFor();
    await goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.context().setOffline(false);
    await isConnected();
    // Whatever had been waiting for the network would be sent before what is asked for now.
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await campaigns()).toEqual([]);
  });

  test('resumes live events where they stopped', async () => {
    const lastIds: Array<string | undefined> = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/events')) lastIds.push(request.headers()['last-event-id']);
    });
    await page.reload();
    await expect.poll(() => lastIds.slice(0, 1)).toEqual([undefined]);
    async function loseNetwork(): Promise<string | undefined> {
      network.cut();
      await page.getByText(BAR).waitFor();
      const before = lastIds.length;
      network.heal();
      await isConnected();
      await expect.poll(() => lastIds.length).toBeGreaterThan(before);
      return lastIds.at(-1);
    }
    // One that is cut before its snapshot was there has no place to go on from.
    await expect.poll(loseNetwork, { interval: 2_000 }).toMatch(/^\d+-\d+-\d+$/);
  });

  test('fails a change while the service is down, and succeeds once it is back', async () => {
    await writeToAll();
    network.cut();
    await page.getByText(BAR).waitFor();
    await pressSend();
    await page.getByRole('dialog').getByText('The service cannot be reached. Nothing was sent.').waitFor();
    expect(await campaigns()).toEqual([]);
    network.heal();
    await isConnected();
    await pressSend();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    expect(await campaigns()).toEqual(['Not to be sent']);
  });

  test('cancels a request in flight when its dialog is closed, and says so', async () => {
    await writeToAll();
    network.stall();
    await pressSend();
    await goBack();
    await page.getByText('Cancelled, but it may already have gone through. Check before trying again.').waitFor();
    // What had waited on the way belongs to a connection that the browser has given up.
    network.cut();
    network.heal();
    await isConnected();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await campaigns()).toEqual([]);
  });

  test.each([
    ['the browser has no network', () => page.context().setOffline(true), () => page.context().setOffline(false)],
    ['the service is gone', () => network.cut(), () => network.heal()],
    ['nothing comes through', () => network.stall(), () => network.heal()],
  ])('every page shows the lost connection when %s, until it is back', async (_what, cut, mend) => {
    for (const name of ['Calendar', 'Groups', 'Account', 'Settings', 'Campaigns']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    await page.getByRole('link', { name: /Sandbox/ }).waitFor();
    await cut();
    await page.getByText(BAR).waitFor();
    await page.getByRole('link', { name: /Sandbox, as of \d\d:\d\d/ }).waitFor();
    for (const name of ['Calendar', 'Groups', 'Account', 'Settings', 'Campaigns']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByText(/^As of \d\d:\d\d$/).waitFor();
      await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    }
    await mend();
    await isConnected();
    // Until it has been asked, the state of the account is as old as it was.
    await expect.poll(() => page.getByText(/as of \d\d:\d\d/i).count()).toBe(0);
  });

  test('shows the connection banner without covering anything, light, dark and on a phone', async () => {
    // The accessibility check asks for the style sheets again.
    visited.forgive(/preload assets/);
    await page.context().setOffline(true);
    await page.getByText(BAR).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await findBarriers(page)).toEqual([]);
    await page.context().setOffline(false);
    await isConnected();
  });

  test('shows no results for a search without a network', async () => {
    await page.goto('/groups');
    await page.getByRole('row', { name: /Village news/ }).waitFor();
    await page.context().setOffline(true);
    await page.getByText(BAR).waitFor();
    await page.getByRole('searchbox').fill('chess');
    await page.getByText('You’re offline. This will load when you’re back.', { exact: false }).waitFor();
    await page.getByRole('row', { name: /Village news/ }).waitFor({ state: 'detached' });
    await page.context().setOffline(false);
    await page.getByRole('row', { name: /Chess friends/ }).waitFor();
    // Which is there, too, among what was shown before, until the answer has come.
    await expect.poll(() => page.getByRole('row', { name: /Village news/ }).count()).toBe(0);
  });

  test('loads a page that was never opened once the network is back', async () => {
    await page.context().setOffline(true);
    await page.getByText(BAR).waitFor();
    await page.getByRole('link', { name: 'Calendar', exact: true }).click();
    // Each part of the page says so for itself.
    await page
      .getByText('You’re offline. This will load when you’re back.', { exact: false })
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
    await expect.poll(() => page.getByText('No connection.', { exact: false }).count()).toBe(0);
  });

  test('loads anew where the files of a page are gone, as after an upgrade', async () => {
    let isGone = true;
    await page.route('**/assets/**', (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()));
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isGone = false;
    });
    await page.getByRole('link', { name: 'Calendar', exact: true }).click();
    await page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
    expect(isGone).toBe(false);
    visited.forgive(refused('404'));
  });
});
