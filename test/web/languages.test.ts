/** Which language the dashboard speaks, and that each says all that English says. */
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enterAsNew } from '../support/browser/dashboard-page.ts';
import { en } from '../../web/words/en.ts';
import { chooseLanguage, LANGUAGES } from '../../web/words/languages.ts';

const browser = await launchBrowser();
const app = await startTestApp();
afterAll(() => app.stop());

test.each([
  [['pt-PT', 'en'], 'pt-BR'],
  [['fr-FR', 'PT-br', 'en'], 'pt-BR'],
  [['en-US', 'pt'], 'en'],
  [['fr', 'nl'], 'en'],
  [[], 'en'],
])('the first language is spoken that is known: %j', (wanted, spoken) => {
  expect(chooseLanguage(wanted)).toBe(spoken);
});

/** The path of everything that is said, with what is given to it where it is put together. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'function') return [`${path}(${value.length})`];
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return [path];
  return Object.entries(value).flatMap(([key, part]) => pathsOf(part, path === '' ? key : `${path}.${key}`));
}

describe.each(Object.keys(LANGUAGES) as Array<keyof typeof LANGUAGES>)('%s', (language) => {
  test('says all that English says, and nothing else', async () => {
    const spoken = pathsOf(await LANGUAGES[language].load());
    const english = pathsOf(en);
    const bare = (paths: string[]) => paths.map((path) => path.replace(/\(\d\)$/, ''));
    expect(bare(english).filter((path) => !bare(spoken).includes(path))).toEqual([]);
    expect(bare(spoken).filter((path) => !bare(english).includes(path))).toEqual([]);
  });

  test('is called by its own tag, and has numbers and times written its way', async () => {
    const spoken = await LANGUAGES[language].load();
    expect(spoken.language).toBe(language);
    expect(Intl.DateTimeFormat.supportedLocalesOf(spoken.locale)).toEqual([spoken.locale]);
  });
});

describe.skipIf(!browser)('in a browser', () => {
  test('a browser whose language nobody else would take for one is served as well', async () => {
    const { page, end } = await visit(browser as Browser, app.url);
    // What Chromium says where the system has no language.
    await page.addInitScript(`Object.defineProperties(navigator, {
      language: { get: () => 'en-US@posix' }, languages: { get: () => ['en-US@posix'] } })`);
    await page.goto('/sign-up');
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    await page.getByLabel('Phone number').fill('(202) 555-0123');
    await page.getByText('The whole number: +1 202 555 0123').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await end();
  });

  test('the language of the browser is spoken until another is chosen', async () => {
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
