/** Helpers for pages of the dashboard, beyond the actions of its user. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PASSWORD } from '../app.ts';

/** The header that marks a request as the dashboard's own (CSRF). */
const headers = { 'x-campanile-dashboard': '1' };

/** Signs in an existing user without showing a page. */
export async function enter(page: Page, name: string): Promise<void> {
  const data = { user_name: name, password: PASSWORD };
  expect((await page.context().request.post('/session', { headers, data })).status()).toBe(200);
}

/** Opens an address as a link of the page does, which reads no script a second time. Resolves once the page before it is gone. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); new Promise(requestAnimationFrame)`);
}

/** Signs a user up and in without showing a page; `number` as in `signUpInBrowser`, which uses the forms. */
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
  // The page takes the language from the browser.
  await askInBrowser(page, 'user/update_profile', { time_zone: 'Europe/Berlin' });
}

/** Calls the API as the user who is signed in on the page. The test fails unless the call succeeds. */
export async function askInBrowser<Data>(page: Page, path: string, data: object = {}): Promise<Data> {
  const answer = await page.context().request.post(`/api/v1/${path}`, { headers, data });
  expect(answer.status()).toBe(200);
  return ((await answer.json()) as { data: Data }).data;
}

/**
 * Returns the accessibility violations that axe finds. Checks the whole page unless `within` is given, by all rules unless `rules` are
 * given.
 */
export async function findBarriers(
  page: Page,
  { within, rules }: { within?: string; rules?: readonly string[] } = {},
): Promise<string[]> {
  // To read it takes longer than most pages take to check.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options: RunOptions = {
    resultTypes: ['violations'],
    iframes: false,
    ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
  };
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)})
       .then(({ violations }) => ({ violations }))`,
  );
  const { pathname } = new URL(page.url());
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${pathname}: ${id}: ${target.join(' ')} ${html}`),
  );
}
