/** The end of a session: by expiry and by signing out. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser, signUpInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

const DAY_MS = 86_400_000;

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  test('restores the page and the draft after an expired session', async () => {
    await page.clock.install();
    await signUpInBrowser(page, 'gil');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Not lost');
    await page.getByRole('checkbox', { name: 'Village news' }).check();
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    await page.getByText('1 group · 121 members').waitFor();
    // What a browser does with a cookie whose time is over.
    await page.context().clearCookies();
    await page.clock.fastForward(DAY_MS + 1_000);
    await page.getByText('Your session has ended.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/campaigns/new');
    await signInInBrowser(page, 'gil');
    await page.getByRole('textbox', { name: 'Message' }).getByText('Not lost').waitFor();
    await page.getByText('1 group · 121 members').waitFor();
    await page.getByRole('complementary').locator('img').waitFor();
    visited.forgive(refused('401'));
  });

  test('invalidates the cookie on sign-out', async () => {
    await signUpInBrowser(page, 'hal');
    const [cookie] = await page.context().cookies();
    const asked = async () => (await app.call('user/get_profile', {}, cookie?.value)).status;
    expect(await asked()).toBe(200);
    await page.getByRole('button', { name: 'hal', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    // The page goes first, and then the session.
    await expect.poll(asked).toBe(401);
    const other = await app.call('user/authorize_user', { user_name: 'hal', password: PASSWORD });
    expect(other.status).toBe(200);
  });
});
