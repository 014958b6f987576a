/** Members of a workspace in the dashboard: invite, join, switch, and what a role lacks. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser } from '../support/browser/dashboard-user.ts';

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
    await page.getByRole('button', { name: 'anna' }).click();
    await page.getByRole('menuitem', { name: 'owen · Author' }).waitFor();
    await page.keyboard.press('Escape');

    await page.goto('/campaigns/new');
    await page.getByText('Your role allows no sending.').waitFor();
    await page.goto('/settings');
    await page.getByRole('row').getByText('owen').first().waitFor();
    expect(await page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);

    await page.getByRole('button', { name: 'anna' }).click();
    await page.getByRole('menuitem', { name: 'anna · Owner' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  test('a person who was removed lands in their own workspace', async () => {
    const [olga, ben] = [await app.signUp('olga'), await app.signUp('ben')];
    const { code } = (await olga.call<{ code: string }>('workspace/invite-member', { role: 'manager' })).body.data;
    await page.goto(`/join#${code}`);
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
});
