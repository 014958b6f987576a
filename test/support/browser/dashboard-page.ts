/** Helpers for tests of a dashboard page, beyond its user's actions. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PASSWORD } from '../app.ts';

/** What marks a request as the dashboard's own. */
const headers = { 'x-campanile-dashboard': '1' };

/** Signs in an existing user without showing a page. */
export async function enter(page: Page, name: string): Promise<void> {
  const data = { user_name: name, password: PASSWORD };
  expect((await page.context().request.post('/session', { headers, data })).status()).toBe(200);
}

/** Signs somebody up and in without a page being shown; `number` as in `signUpInBrowser`, which does it by hand. */
export async function enterAsNew(page: Page, name: string, number = '+44 20 7946 0123'): Promise<void> {
  const data = {
    first_name: name,
    last_name: '',
    user_name: name,
    email: `${name}@example.com`,
    phone_number: number,
    whatsapp_number: number,
    password: PASSWORD,
  };
  expect((await page.context().request.post('/api/v1/user/create_user', { headers, data })).status()).toBe(200);
  await enter(page, name);
  // Which the page takes from the browser.
  await askInBrowser(page, 'user/update_profile', { time_zone: 'Europe/Berlin' });
}

/** Calls the API as the signed-in user of the page. Returns the data; the test fails when the call does not succeed. */
export async function askInBrowser<Data>(page: Page, path: string, data: object = {}): Promise<Data> {
  const answer = await page.context().request.post(`/api/v1/${path}`, { headers, data });
  expect(answer.status()).toBe(200);
  return ((await answer.json()) as { data: Data }).data;
}

/**
 * What people with a screen reader or weak eyes would stumble over, in words; nothing, one hopes. Of the whole page unless `within` says
 * otherwise, by all rules unless some are named.
 */
export async function findBarriers(
  page: Page,
  { within, rules }: { within?: string; rules?: readonly string[] } = {},
): Promise<string[]> {
  // axe's legacy mode runs in the page itself. Without frames the result is the same, and axe opens no second page.
  const look = new AxeBuilder({ page }).setLegacyMode();
  if (within !== undefined) look.include(within);
  if (rules) look.withRules([...rules]);
  const { violations } = await look.analyze();
  const { pathname } = new URL(page.url());
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${pathname}: ${id}: ${target.join(' ')} ${html}`),
  );
}
