/** Text overflow: every language fits on a phone. */
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enterAsNew } from '../support/browser/dashboard-page.ts';
import { LANGUAGE_TAGS } from '../../src/platform/i18n/languages.ts';

const browser = await launchBrowser();
const app = await startTestApp();
afterAll(() => app.stop());

const PAGES = [
  '/',
  '/campaigns/new',
  '/calendar',
  '/groups',
  '/report',
  '/account',
  '/settings',
  '/phone',
  '/installation',
];
const PHONE = { width: 390, height: 844 };

test.skipIf(!browser).each(LANGUAGE_TAGS)('texts in %s fit on a phone', async (language) => {
  const { page, end } = await visit(browser as Browser, app.url, { locale: language, viewport: PHONE });
  await enterAsNew(page, `reader-${language.toLowerCase()}`);
  // The page of the installation is for administrators.
  await sql`update users set is_admin = true`.execute(app.database.db);
  for (const path of PAGES) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(PHONE.width);
  }
  await end();
});
