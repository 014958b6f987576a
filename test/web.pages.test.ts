/** Every page of the dashboard: usable with a screen reader and a keyboard, light and dark, on desks and phones; and small. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PASSWORD, startTestApp } from './support/app.ts';
import { launchBrowser, visit, type Visit } from './support/browser.ts';
import { sendToAll, signUpInBrowser, writeMessage } from './support/dashboard-user.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(async () => {
  await browser?.close();
  await app.stop();
});

/** Compressed, of all that a page has to run before it can be used. */
const SCRIPT_LIMIT_BYTES = 200_000;
const PAGES = ['/', '/campaigns/new', '/calendar', '/groups', '/account', '/settings', '/phone'];
const PHONE = { width: 390, height: 844 };

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let campaign: string;

  beforeAll(async () => {
    const first = await visit(browser as Browser, app.url);
    await signUpInBrowser(first.page, 'ada');
    await first.page.goto('/campaigns/new');
    await writeMessage(first.page, 'Hello');
    campaign = `/campaigns/${await sendToAll(first.page)}`;
    await first.close();
  });

  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  /** Signs in without loading a page. */
  async function enter(): Promise<void> {
    const answer = await page.context().request.post('/session', {
      headers: { 'x-campanile-dashboard': '1' },
      data: { user_name: 'ada', password: PASSWORD },
    });
    expect(answer.status()).toBe(200);
  }

  /** The page has come to rest: nothing stands in for what is still to come. */
  async function settle(): Promise<void> {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.late').count()).toBe(0);
    await page.evaluate('document.fonts.ready');
  }

  async function violations(look = new AxeBuilder({ page })): Promise<string[]> {
    const { violations: found } = await look.analyze();
    const path = new URL(page.url()).pathname;
    return found.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${path}: ${id}: ${node.target.join(' ')} ${node.html}`),
    );
  }

  test.each([
    ['in light', 'light', []],
    // All but the colours is the same as in light.
    ['in dark', 'dark', ['color-contrast']],
  ] as const)(
    'no page has anything that people with a screen reader or weak eyes would stumble over, %s',
    async (_what, colorScheme, rules) => {
      await page.emulateMedia({ colorScheme });
      const found: string[] = [];
      const look = async (path: string) => {
        await page.goto(path);
        await settle();
        const axe = new AxeBuilder({ page });
        found.push(...(await violations(rules.length > 0 ? axe.withRules([...rules]) : axe)));
      };
      for (const path of ['/sign-in', '/sign-up']) await look(path);
      await enter();
      for (const path of [...PAGES, campaign]) await look(path);
      expect(found).toEqual([]);
    },
  );

  test('no dialog has, either', async () => {
    await enter();
    const found: string[] = [];
    const look = async () => {
      await page.getByRole('dialog').waitFor();
      found.push(...(await violations(new AxeBuilder({ page }).include('[role=dialog]'))));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await page.goto('/');
    await settle();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Campaigns, groups/ }).waitFor();
    await page.keyboard.type('vill');
    await page.getByRole('option', { name: /Village news/ }).waitFor();
    await look();
    await page.goto('/groups');
    await page.getByRole('button', { name: 'Link and QR of Village news' }).click();
    await page.getByRole('img', { name: 'QR code of the invite link' }).waitFor();
    await look();
    for (const kind of ['Group', 'Community', 'Channel']) {
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await page.getByRole('menuitem', { name: kind }).click();
      await look();
    }
    await page.goto('/settings');
    await page.getByRole('button', { name: 'New API key' }).click();
    await look();
    await page.getByRole('button', { name: 'Delete account …' }).click();
    await look();
    expect(found).toEqual([]);
  });

  test('nothing needs to be scrolled sideways on a phone, and every page is in reach', async () => {
    await page.setViewportSize(PHONE);
    await enter();
    for (const path of [...PAGES, campaign]) {
      await page.goto(path);
      await settle();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, path).toBeLessThanOrEqual(PHONE.width);
    }
    for (const name of ['Calendar', 'Groups', 'Account', 'Settings', 'Campaigns']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    await page.getByRole('link', { name: 'New campaign' }).last().click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
  });

  test('the keyboard alone finds a campaign, skips the rail, and begins a new one', async () => {
    await enter();
    await page.goto('/');
    await settle();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Campaigns, groups/ }).waitFor();
    await page.keyboard.type('hello');
    await page.getByRole('option', { name: /Hello/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hello', level: 1 }).waitFor();
    await page.goto('/groups');
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.type('no news');
    expect(new URL(page.url()).pathname).toBe('/campaigns/new');
  });

  test('a campaign to ten thousand groups is a page that draws some dozens of rows, and sorts all', async () => {
    await enter();
    await page.route('**/get-campaign-group-analytics-master', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: { groups: Record<string, unknown>[] } };
      const [group] = answer.data.groups;
      answer.data.groups = Array.from({ length: 10_000 }, (_, index) => ({
        ...group,
        group_metadata_id: index + 1,
        group_name: `Group ${index + 1}`,
        reactions: index,
      }));
      await route.fulfill({ response, json: answer });
    });
    await page.goto(campaign);
    await page.getByRole('row', { name: /^Group 1 Sent/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBeLessThan(60);
    await page.getByRole('button', { name: 'Reactions' }).click();
    await page.getByRole('row', { name: /^Group 10000 Sent/ }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Reactions' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('group', { name: 'Groups' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { name: /^Group 1 Sent/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBeLessThan(60);
  });

  test('the first page needs no more script than it should, and no editor and no chart', async () => {
    await enter();
    const scripts = new Map<string, number>();
    const sizes: Promise<void>[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => void scripts.set(response.url(), responseBodySize)),
      );
    });
    await page.goto('/');
    await settle();
    await Promise.all(sizes);
    const total = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    expect(scripts.size).toBeGreaterThan(3);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThanOrEqual(SCRIPT_LIMIT_BYTES);
    expect([...scripts.keys()].filter((url) => /editor|timeline|when/.test(url))).toEqual([]);
  });
});
