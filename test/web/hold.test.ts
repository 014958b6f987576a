/** The dashboard during a hold. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, refused, visit } from '../support/browser/browser.ts';
import { enter, findBarriers } from '../support/browser/dashboard-page.ts';
import { until } from '../support/ledger.ts';

const browser = await launchBrowser();
// One post of an account goes out, the next would only after this file.
const app = await startTestApp({ sandboxGap: { minMs: 600_000, maxMs: 600_000 }, sandboxSpeed: 0 });
// The first of all is the administrator.
const root = await app.signUp('root');
afterAll(() => app.stop());

const setHeld = (reason: string | null) =>
  sql`update ledger set held_since = case when ${reason}::text is not null then campanile_now() end, held_reason = ${reason}`.execute(
    app.database.db,
  );
afterEach(() => setHeld(null));
const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const;

test.skipIf(!browser)('shows the hold on every page, light, dark and on a phone', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await enter(page, root.name);
  await page.goto('/');
  const said = page.getByText('Sending is on hold');
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  expect(await said.count()).toBe(0);
  await setHeld('a test');
  for (const path of ['/', '/groups', '/settings', '/campaigns/new']) {
    await page.goto(path);
    await said.waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  }
  const folder = process.env['HELD_PICTURES'];
  for (const [look, width] of LOOKS) {
    await page.emulateMedia({ colorScheme: look });
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/');
    await said.waitFor();
    if (folder !== undefined) await page.screenshot({ path: `${folder}/held-${look}-${width}.png` });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  }
  await visited.end();
});

test.skipIf(!browser)('says first on the home page that nothing is sent', async () => {
  const person = await app.signUp('homer');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const ids = body.data.groups.map((group) => group.group_metadata_id);
  await person.call('venom/add-campaign', { name: 'Fair', html: 'We open', group_metadata_ids: ids });
  await setHeld('a test');
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await enter(page, person.name);
  await page.goto('/');
  const needs = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem');
  await needs.first().waitFor();
  expect(await needs.first().innerText()).toBe('Nothing is sent right now: sending is on hold after a restore.');
  await visited.end();
});

/** Of two campaigns to two groups each, of which one post was sent. */
async function queueTwo(person: Person): Promise<{ spring: string; summer: string }> {
  const groups: number[] = [];
  for (const name of ['A', 'B']) {
    const body = { group_name: name, participants: ['4915100000001'] };
    groups.push(
      (await person.call<{ group_metadata_id: number }>('venom/create-group', body)).body.data.group_metadata_id,
    );
  }
  const send = async (name: string) => {
    const post = { name, html: 'Hello', group_metadata_ids: groups };
    return (await person.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data.campaign_id;
  };
  const spring = await send('Spring fair');
  await until(
    () => totalsOf(person, spring),
    ({ sent }) => sent === 1,
  );
  return { spring, summer: await send('Summer fair') };
}

async function totalsOf(person: Person, campaign_id: string) {
  const path = 'analytics/get-campaign-group-analytics-master';
  type Totals = Record<'sent' | 'queued' | 'failed', number>;
  return (await person.call<{ totals: Totals }>(path, { campaign_id })).body.data.totals;
}

async function findBarriersInLooks(page: Page, picture: string): Promise<string[]> {
  const folder = process.env['HELD_PICTURES'];
  const found: string[] = [];
  for (const [look, width] of LOOKS) {
    await page.emulateMedia({ colorScheme: look });
    await page.locator(`html[data-mantine-color-scheme=${look}]`).waitFor();
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await findBarriers(page)));
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${picture}-${look}-${width}.png` });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}

test.skipIf(!browser)(
  'ends the hold after an administrator has decided each campaign; others are told whom to ask',
  async () => {
    const alice = await app.signUp('alice');
    const { spring, summer } = await queueTwo(alice);
    await setHeld('a test');

    const asking = await visit(browser as Browser, app.url);
    await enter(asking.page, alice.name);
    await asking.page.goto('/');
    await asking.page.getByText('An administrator has to decide').waitFor();
    expect(await asking.page.getByRole('button', { name: 'Review queued posts' }).count()).toBe(0);
    await asking.end();

    const visited = await visit(browser as Browser, app.url);
    const { page } = visited;
    await enter(page, root.name);
    await page.goto('/');
    await page.getByRole('button', { name: 'Review queued posts' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('alice · 1 post queued').waitFor();
    await dialog.getByText('alice · 2 posts queued').waitFor();
    const release = dialog.getByRole('button', { name: 'Resume sending' });
    expect(await findBarriersInLooks(page, 'dialog')).toEqual([]);
    expect(await release.isDisabled()).toBe(true);
    await dialog.getByLabel('All campaigns, unless chosen below').selectOption('Do not send');
    await dialog.getByLabel('Choice for Summer fair').selectOption('Send');
    await dialog.getByLabel('Your password').fill('wrong');
    await release.click();
    await dialog.getByText('Current password is wrong.').waitFor();
    visited.forgive(refused('400'));
    expect(await findBarriersInLooks(page, 'chosen')).toEqual([]);
    expect(await totalsOf(alice, spring)).toMatchObject({ sent: 1, queued: 1, failed: 0 });
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByLabel('Your password').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Sending resumes within a few seconds.').waitFor();
    expect(await page.getByText('Sending is on hold').count()).toBe(0);
    expect(await totalsOf(alice, spring)).toMatchObject({ sent: 1, queued: 0, failed: 1 });
    expect(await totalsOf(alice, summer)).toMatchObject({ failed: 0 });
    await visited.end();
  },
);
