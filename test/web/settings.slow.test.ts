/** What is told in a corner, shown only once, or said last of all. */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { readZip } from '../support/read-zip.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';

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

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const profile = {
    region: () => page.getByRole('region', { name: 'Profile' }),
    save: () => profile.region().getByRole('button', { name: 'Save' }),
  };
  const dialog = () => page.getByRole('dialog');

  test('a person downloads what is kept of them', async () => {
    await enterAsNew(page, 'eva');
    await page.goto('/settings');
    const begun = page.waitForEvent('download');
    await button('Export my data').click();
    const download = await begun;
    expect(download.suggestedFilename()).toBe('Campanile data.zip');
    const files = readZip(await readFile(await download.path()));
    expect(JSON.parse(files.get('account.json') ?? '{}')).toMatchObject({ user_name: 'eva' });
    expect(await findBarriers(page)).toEqual([]);
  });

  test('saves at the foot of a form what was changed, or discards it', async () => {
    await enterAsNew(page, 'tia');
    await page.goto('/settings');
    const name = page.getByLabel('Last name');
    await profile.save().waitFor();
    expect(await profile.save().isDisabled()).toBe(true);
    expect(await profile.region().getByRole('button', { name: 'Discard' }).count()).toBe(0);
    await name.fill('Miller');
    await profile.region().getByText('Not saved yet').waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await profile.region().getByRole('button', { name: 'Discard' }).click();
    expect(await name.inputValue()).toBe('');
    expect(await profile.save().isDisabled()).toBe(true);
    await name.fill('Smith');
    await profile.save().click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await profile.region().getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await profile.save().isDisabled()).toBe(true);
    expect(await askInBrowser(page, 'user/get_profile')).toMatchObject({ user_info: { last_name: 'Smith' } });

    // A change of one form is not one of the others.
    const members = page.getByRole('region', { name: 'Members' });
    await members.getByLabel('Name of the workspace').fill('Choir');
    expect(await profile.save().isDisabled()).toBe(true);
    await members.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Choir/ }).first().waitFor();
  });

  test('shows in an empty list what will stand there, for eyes only', async () => {
    await enterAsNew(page, 'uma');
    await page.goto('/settings');
    for (const [name, shown] of [
      ['Webhooks', 'https://hooks.example.com/campanile'],
      ['API keys', 'Our website'],
    ] as const) {
      const region = page.getByRole('region', { name, exact: true });
      await region.getByText(shown).waitFor();
      const read = await region.ariaSnapshot();
      expect(read).toContain('None yet.');
      expect(read).not.toContain(shown);
    }
  });

  test.each([
    ['a desk', { width: 1_280, height: 860 }],
    ['a phone', { width: 390, height: 844 }],
  ])('a toast on %s covers no bar and lets clicks through', async (_at, size) => {
    await enterAsNew(page, `ann${size.width}`);
    await page.setViewportSize(size);
    await page.goto('/settings');
    await page.getByLabel('Last name').fill('Miller');
    await profile.save().click();
    const toast = page.getByRole('alert').filter({ hasText: 'Saved.' });
    await toast.waitFor();
    const box = await toast.boundingBox();
    if (!box) throw new Error('the toast is nowhere');
    // No more than the first lines of a page, and no bar below it.
    expect(box.y).toBeGreaterThan(size.height / 2);
    expect(box.y + box.height).toBeLessThan(size.height - 72);
    const [x, y] = [box.x + box.width / 3, box.y + box.height / 2];
    expect(await page.evaluate(`document.elementFromPoint(${x}, ${y}).closest('[role=alert]') === null`)).toBe(true);
    await toast.getByRole('button', { name: 'Close' }).click();
    await toast.waitFor({ state: 'detached' });
  });

  test('shows the usage of quotas as accessible meters', async () => {
    await enterAsNew(page, 'max');
    await page.goto('/settings');
    const bar = (name: string) => page.getByRole('meter', { name, exact: true });
    await bar('Files').waitFor();
    expect(await bar('Files').getAttribute('aria-valuetext')).toBe('0 bytes of 2 GB');
    expect(await bar('Running or scheduled campaigns').getAttribute('aria-valuetext')).toBe('0 of 10,000');
    // On the sandbox there is no such limit.
    expect(await bar('Groups created in 24 hours').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('keeps the dialog with a new API key open until it is confirmed', async () => {
    await enterAsNew(page, 'ben');
    await page.goto('/settings');
    await button('New API key').click();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await button('New API key').click();
    await dialog().getByLabel('Name').fill('Till');
    expect(await dialog().getByRole('checkbox', { name: 'Test key' }).isChecked()).toBe(false);
    await button('Create key').click();
    await button('Copy key').waitFor();
    const shown = dialog().getByText(/^ck_|^[\w-]{30,}/);
    const key = await shown.textContent();
    await page.keyboard.press('Escape');
    await page.mouse.click(20, 20);
    expect(await dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(await shown.textContent()).toBe(key);
    await button('Done').click();
    await dialog().waitFor({ state: 'detached' });
    await button('New API key').click();
    expect(await dialog().getByLabel('Name').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('creates a test key, and says what it acts on', async () => {
    await enterAsNew(page, 'tess');
    await page.goto('/settings');
    await button('New API key').click();
    await dialog().getByLabel('Name').fill('CI');
    await dialog().getByText('nothing reaches WhatsApp', { exact: false }).waitFor();
    await dialog().getByRole('checkbox', { name: 'Test key' }).check();
    await button('Create key').click();
    expect(await dialog().getByText(/^cmp_/).textContent()).toMatch(/^cmp_test_/);
    expect(await findBarriers(page)).toEqual([]);
    await button('Done').click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('cmp_test_', { exact: false }).filter({ visible: true }).waitFor();
  });

  test('says goodbye after deleting the account, and allows a new sign-up', async () => {
    await enterAsNew(page, 'cleo');
    await page.goto('/settings');
    await button('Delete Campanile account…').click();
    await dialog().getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Delete everything' }).click();
    await page.getByRole('heading', { name: 'Goodbye', level: 1 }).waitFor();
    await page.getByText('Your Campanile account is deleted', { exact: false }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Goodbye', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Create a new account' }).click();
    await page.getByRole('heading', { name: 'Sign up', level: 1 }).waitFor();
    visited.forgive(refused('401'));
  });

  test('finds a time zone by city, replacing the current text', async () => {
    await enterAsNew(page, 'dee');
    await page.goto('/settings');
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    expect(await zone.inputValue()).toBe('Berlin, Germany');
    await zone.click();
    const zones = await page.context().request.get('/session/time-zones');
    const { data } = (await zones.json()) as { data: string[] };
    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(400);
    const offered = page.getByRole('option');
    const values = await offered.evaluateAll((all) =>
      (all as unknown as Array<{ getAttribute: (name: string) => string | null }>).map(
        (one) => one.getAttribute('value') ?? '',
      ),
    );
    expect(values.filter((value) => !data.includes(value))).toEqual([]);
    await page.keyboard.type('new york');
    await page.getByRole('option', { name: 'New York, United States' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await zone.inputValue()).toBe('New York, United States');
    await profile.save().click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await askInBrowser(page, 'user/get_profile')).toMatchObject({ time_zone: 'America/New_York' });
    await zone.click();
    await page.keyboard.type('nowhere at all');
    await page.getByText('No city or country found.').waitFor();
  });

  test('shows a campaign with an unknown zone in UTC', async () => {
    await enterAsNew(page, 'eve');
    const groups = await askInBrowser<{ groups: Array<{ group_metadata_id: number }> }>(page, 'venom/list-groups');
    const year = new Date().getUTCFullYear() + 1;
    await askInBrowser(page, 'venom/add-campaign-batch', {
      name: 'Morning',
      html: 'Good morning',
      group_metadata_ids: groups.groups.map((group) => group.group_metadata_id),
      is_schedule: true,
      start_date: `${year}-07-01`,
      end_date: `${year}-07-01`,
      schedule_time: '09:00:00',
      time_zone: 'Asia/Tokyo',
    });
    const { rows } = await sql<{ id: string }>`
      update campaigns set time_zone = 'Mars/Olympus' returning public_id as id`.execute(app.database.db);
    await page.goto(`/campaigns/${rows[0]?.id}`);
    await page.getByText('Times are in the campaign’s time zone, Mars/Olympus.').waitFor();
    expect(await page.getByText(`1 Jul ${year}, 00:00 UTC`).count()).toBeGreaterThan(0);
  });

  test('writes numbers, dates and the clock as in the region of its reader', async () => {
    const american = await visit(browser as Browser, app.url, { locale: 'en-US' });
    await enterAsNew(american.page, 'flo');
    await american.page.goto('/settings');
    await american.page.getByText(/[A-Z][a-z]{2} \d+, \d{4}, \d\d:\d\d [AP]M GMT\+[12]$/).waitFor();
    await american.page.goto('/calendar?view=week');
    await american.page
      .getByText(/^0?9:00 AM$/)
      .first()
      .waitFor();
    await american.end();
    await enterAsNew(page, 'gil');
    await page.goto('/calendar?view=week');
    await page.getByText('09:00', { exact: true }).first().waitFor();
    expect(await page.getByText(/\d [ap]m$/).count()).toBe(0);
  });
});
