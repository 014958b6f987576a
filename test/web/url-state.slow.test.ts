/** Filters, sort order and dates are in the URL, for Back and for copied links. */
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
  let people = 0;
  beforeEach(async () => {
    const person = await app.signUp(`way${++people}`);
    const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const group_metadata_ids = body.data.groups.map((group) => group.group_metadata_id);
    for (const name of ['Spring fair', 'Winter market'])
      await person.call('venom/add-campaign', { name, html: `<p>${name}</p>`, group_metadata_ids });
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  const isChosen = (name: string) => page.getByRole('radio', { name }).isChecked();
  const query = () => new URL(page.url()).search;

  test('restores the search and the status filter of the campaigns on Back', async () => {
    await page.getByRole('searchbox', { name: /Search/ }).fill('spring');
    const found = page.getByRole('list', { name: 'Campaigns', exact: true }).getByRole('link');
    await found.filter({ hasText: 'Winter market' }).waitFor({ state: 'detached' });
    await expect.poll(query).toBe('?search=spring');
    await found.filter({ hasText: 'Spring fair' }).click();
    await page.getByRole('heading', { name: 'Spring fair', level: 1 }).waitFor();
    await page.goBack();
    await found.filter({ hasText: 'Spring fair' }).waitFor();
    expect(await page.getByRole('searchbox', { name: /Search/ }).inputValue()).toBe('spring');
    expect(await found.count()).toBe(1);
  });

  test('restores filters, week and sort order from a copied URL', async () => {
    await page.goto('/groups');
    await page.getByRole('radiogroup', { name: 'Kind' }).getByText('Channels').click();
    await expect.poll(query).toBe('?kind=channel');
    await page.reload();
    await expect.poll(() => isChosen('Channels')).toBe(true);
    await page.goto('/calendar?view=week&day=2026-03-04');
    await page.getByText(/2.*8 Mar 2026/).waitFor();
    await page.getByRole('button', { name: 'Today' }).click();
    await expect.poll(query).toBe('?view=week');
    await page.goto('/calendar?view=year&day=2026-02-31');
    await expect.poll(() => isChosen('Month')).toBe(true);
  });

  test('shows a not-found page with a link home for an unknown URL', async () => {
    const response = await page.goto('/no/such/place');
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Go to campaigns' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    // What the browser says of the answer is no complaint of ours.
    visited.forgive(refused('404'));
  });
});
