/** What tests ask of a page of the dashboard, beyond what its user does. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What the API says to whoever is signed in on the page; the test fails when that is no success. */
export async function askInBrowser<Data>(page: Page, path: string, data: object = {}): Promise<Data> {
  const headers = { 'x-campanile-dashboard': '1' };
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
  // What axe calls legacy judges the page in the page itself: without frames it is the same, and no second page has to be opened for it.
  const look = new AxeBuilder({ page }).setLegacyMode();
  if (within !== undefined) look.include(within);
  if (rules) look.withRules([...rules]);
  const { violations } = await look.analyze();
  const { pathname } = new URL(page.url());
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${pathname}: ${id}: ${target.join(' ')} ${html}`),
  );
}
