/** Which language the dashboard is in. */
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enterAsNew } from '../support/browser/dashboard-page.ts';

const browser = await launchBrowser();
const app = await startTestApp();
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  test('works with an invalid browser language', async () => {
    const { page, end } = await visit(browser as Browser, app.url);
    // What Chromium says where the system has no language.
    await page.addInitScript(`Object.defineProperties(navigator, {
      language: { get: () => 'en-US@posix' }, languages: { get: () => ['en-US@posix'] } })`);
    await page.goto('/sign-up');
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    await page.getByLabel('Phone number').fill('(202) 555-0123');
    await page.getByText('Full number: +1 202 555 0123').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await end();
  });

  test("follows the browser's language until another is chosen", async () => {
    const { page, end } = await visit(browser as Browser, app.url, { locale: 'pt-BR' });
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Entrar' }).waitFor();
    await enterAsNew(page, 'ana');
    await page.goto('/settings');
    const spoken = () => page.evaluate('document.documentElement.lang');
    const choose = async (label: string, language: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: language }).click();
    };
    await choose('Idioma', 'Bahasa Indonesia');
    await page.getByRole('heading', { name: 'Pengaturan', level: 1 }).waitFor();
    expect(await spoken()).toBe('id');
    await page.reload();
    await choose('Bahasa', 'Sesuai browser');
    await page.getByRole('combobox', { name: 'Idioma' }).waitFor();
    expect(await spoken()).toBe('pt-BR');
    await end();
  });
});
