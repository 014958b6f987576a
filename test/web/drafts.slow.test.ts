/** Drafts in the dashboard: kept on the service, several of them, in two windows at once. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { CUT, launchBrowser, refused, type Visit, visit } from '../support/browser/browser.ts';
import { askInBrowser, enter, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface Drafts {
  drafts: Array<{ draft_id: string; name: string; html_start: string; version: number }>;
}

const isSaved = (page: Page) => page.getByText('Draft saved').waitFor();
const texts = async (page: Page) =>
  (await askInBrowser<Drafts>(page, 'venom/list-drafts')).drafts.map((draft) => draft.html_start).toSorted();

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  test('opens a draft by its URL on another machine', async () => {
    await enterAsNew(page, 'ann');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'From the desk');
    await isSaved(page);
    const address = page.url();
    expect(address).toMatch(/\?draft=[0-9a-f-]{36}$/);
    const phone = await visit(browser as Browser, app.url);
    await enter(phone.page, 'ann');
    await phone.page.goto('/');
    await phone.page.getByRole('button', { name: 'Drafts (1)' }).click();
    await phone.page.getByRole('menuitem', { name: /From the desk/ }).click();
    expect(phone.page.url()).toBe(address);
    await phone.page.getByRole('textbox', { name: 'Message' }).getByText('From the desk').waitFor();
    await phone.end();
  });

  test('detects a conflict of two windows, and can keep both texts', async () => {
    await enterAsNew(page, 'ben');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Both');
    await isSaved(page);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByRole('textbox', { name: 'Message' }).getByText('Both').waitFor();
    await writeMessage(page, 'First ');
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('First')]);
    await writeMessage(second, 'Second ');
    await second.getByText('This draft was changed in another window').waitFor();
    expect(await findBarriers(second)).toEqual([]);
    await second.getByRole('button', { name: 'Keep mine as a separate draft' }).click();
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('First'), expect.stringContaining('Second')]);
    visited.forgive(refused('409'));
  });

  test('keeps nothing of a draft in the browser after signing out', async () => {
    await enterAsNew(page, 'cat');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Secret of the village');
    await isSaved(page);
    await page.getByRole('button', { name: 'cat', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    const kept = await page.evaluate(
      `(async () => JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + JSON.stringify(await indexedDB.databases()))()`,
    );
    expect(kept).not.toContain('Secret');
    expect(kept).not.toContain('draft');
  });

  /** Signs in, and leaves the list of campaigns for a new one: both pages have been opened. */
  async function beginAs(name: string): Promise<void> {
    await enterAsNew(page, name);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  }

  test('does not take an unanswered save for a conflict', async () => {
    await beginAs('dan');
    await writeMessage(page, 'One');
    await isSaved(page);
    let lost = 0;
    await page.route('**/venom/save-draft', async (route) => {
      await route.fetch();
      lost += 1;
      await route.abort('connectionreset');
    });
    await writeMessage(page, ' two');
    await page.getByText('The draft is not saved yet. Trying again…', { exact: false }).waitFor();
    expect(lost).toBeGreaterThan(0);
    await writeMessage(page, ' three');
    await page.unroute('**/venom/save-draft');
    await isSaved(page);
    expect(await texts(page)).toEqual(['<p>One two three</p>']);
    visited.forgive(CUT);
  });

  test('saves a draft that was written offline once the network is back, from any page', async () => {
    await beginAs('eva');
    await page.context().setOffline(true);
    await writeMessage(page, 'On the train');
    await page.getByText('The draft is not saved yet', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => texts(page)).toEqual(['<p>On the train</p>']);
    visited.forgive(CUT);
  });

  test("continues with the other window's text after a conflict", async () => {
    await beginAs('fay');
    await writeMessage(page, 'Both');
    await isSaved(page);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByRole('textbox', { name: 'Message' }).getByText('Both').waitFor();
    await page.getByLabel('Campaign name').fill('First');
    await expect.poll(async () => (await listed()).map(({ name }) => name)).toEqual(['First']);
    await writeMessage(second, ' of mine');
    await second.getByText('This draft was changed in another window').waitFor();
    await second.getByRole('button', { name: 'Show the other version' }).click();
    await expect.poll(() => second.getByLabel('Campaign name').inputValue()).toBe('First');
    await expect.poll(() => second.getByRole('textbox', { name: 'Message' }).innerText()).toBe('Both');
    await writeMessage(second, ' again');
    await expect.poll(() => texts(page)).toEqual(['<p>Both again</p>']);
    visited.forgive(refused('409'));
  });

  const listed = async () => (await askInBrowser<Drafts>(page, 'venom/list-drafts')).drafts;
  const signOut = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };

  test('saves the last changes before signing out', async () => {
    await beginAs('gus');
    await writeMessage(page, 'In a hurry');
    await signOut('gus');
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await enter(page, 'gus');
    expect(await texts(page)).toEqual(['<p>In a hurry</p>']);
    // The preview of what was written last may have come too late.
    visited.forgive(refused('401'));
  });

  test('asks before signing out with changes that could not be saved', async () => {
    await beginAs('ida');
    await page.route('**/venom/save-draft', (route) => route.abort('connectionreset'));
    await writeMessage(page, 'Nowhere else');
    await signOut('ida');
    const question = page.getByRole('dialog', { name: 'Sign out and lose your changes?' });
    await question.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('textbox', { name: 'Message' }).getByText('Nowhere else').waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    // The page of signing in is there before it is done.
    const signedOut = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await question.getByRole('button', { name: 'Sign out anyway' }).click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    await signedOut;
    await enter(page, 'ida');
    await page.goto('/campaigns/new');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await page.getByText('Nowhere else').count()).toBe(0);
    visited.forgive(CUT);
  });

  test('leaves no draft behind when a day of the calendar is only opened', async () => {
    await enterAsNew(page, 'jon');
    const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
    await page.goto(`/campaigns/new?day=${tomorrow.toString()}`);
    await expect.poll(() => page.getByRole('radio', { name: 'On a schedule' }).isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await listed()).toEqual([]);
    await page.goBack();
    await writeMessage(page, 'Good morning');
    await isSaved(page);
    expect(await askInBrowser(page, 'venom/list-drafts', { draft_id: new URL(page.url()).searchParams.get('draft') }))
      // Begun for that day.
      .toMatchObject({ drafts: [{ content: { is_schedule: true, start_date: tomorrow.toString() } }] });
  });

  test('keeps the edits of a campaign across pages until they are discarded', async () => {
    await enterAsNew(page, 'kim');
    const id = await plan();
    await page.goto(`/campaigns/${id}/change`);
    await page.getByLabel('Campaign name').fill('Good evening');
    await writeMessage(page, ' or later');
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.goBack();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.getByText('We open at nine or later').waitFor();
    expect(await page.getByLabel('Campaign name').inputValue()).toBe('Good evening');
    await page.getByText('Ready to send.').waitFor();
    await signOut('kim');
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => page.getByLabel('Campaign name').inputValue()).toBe('Good morning');
    await expect.poll(() => message.innerText()).toBe('We open at nine');
    await page.getByText('No changes yet.').waitFor();
    await signOut('kim');
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  });

  /** Resolves to the id of a campaign that is sent tomorrow. */
  async function plan(): Promise<string> {
    const { groups } = await askInBrowser<{ groups: Array<{ group_metadata_id: number }> }>(page, 'venom/list-groups');
    const day = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 }).toString();
    await askInBrowser(page, 'venom/add-campaign-batch', {
      name: 'Good morning',
      html: '<p>We open at nine</p>',
      group_metadata_ids: groups.map((group) => group.group_metadata_id),
      is_schedule: true,
      start_date: day,
      end_date: day,
      schedule_time: '09:00:00',
    });
    const { campaigns } = await askInBrowser<{ campaigns: Array<{ campaign_id: string }> }>(
      page,
      'venom/list-campaigns',
    );
    return campaigns[0]?.campaign_id ?? '';
  }

  test('asks before closing a page with unsaved changes', async () => {
    await beginAs('lea');
    await page.route('**/venom/save-draft', (route) => route.abort('connectionreset'));
    await writeMessage(page, 'Nowhere else');
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    const asked = page.waitForEvent('dialog');
    const reloading = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await reloading;
    visited.forgive(CUT);
  });
});
