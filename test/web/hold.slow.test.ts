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
afterEach(async () => {
  await setHeld(null);
  await sql`update campaigns set deleted_at = campanile_now()`.execute(app.database.db);
});
const LOOKS = [
  ['light', 1366],
  ['dark', 1366],
  ['light', 390],
  ['dark', 390],
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

/** Moves the runs of a campaign into the past, so many hours each, once the worker has found the hold: it neither begins nor misses them. */
async function makeDue(campaignId: string, hours: readonly number[]): Promise<void> {
  const { db } = app.database;
  const lastBeat = async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from campanile_now() - max(beat_at))::float8 as seconds from workers`.execute(db);
    return rows[0]?.seconds ?? 0;
  };
  await until(lastBeat, (seconds) => seconds > 3);
  await sql`
    update runs r set due_at = campanile_now() - h.hours * interval '1 hour'
    from (select run_id, row_number() over (order by run_id) as place from runs join campaigns c using (campaign_id)
          where c.public_id = ${campaignId}::uuid) p
    join unnest(${[...hours]}::int[]) with ordinality h (hours, place) using (place)
    where r.run_id = p.run_id`.execute(db);
}

test.skipIf(!browser)(
  'tells apart what had begun, what fell due since, and what was made since the restore',
  async () => {
    // Those of other tests.
    await sql`update campaigns set deleted_at = campanile_now()`.execute(app.database.db);
    const berta = await app.signUp('berta');
    await queueTwo(berta);
    const { body } = await berta.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
    const planned = await berta.call('venom/add-campaign-batch', {
      name: 'Morning prayer',
      html: 'Good morning',
      group_metadata_ids: body.data.groups.slice(0, 2).map((group) => group.group_metadata_id),
      is_schedule: true,
      start_date: tomorrow.toString(),
      end_date: tomorrow.add({ days: 2 }).toString(),
      schedule_time: '09:00:00',
    });
    await setHeld('a test');
    await makeDue(planned.headers.get('x-campaign-id') ?? '', [50, 26, 2]);
    await berta.call('venom/add-campaign', {
      name: 'Harvest supper',
      html: 'Come',
      group_metadata_ids: [body.data.groups[0]?.group_metadata_id],
    });

    const visited = await visit(browser as Browser, app.url);
    const { page } = visited;
    await enter(page, root.name);
    await page.goto('/');
    await page.getByRole('button', { name: 'Review queued posts' }).click();
    const dialog = page.getByRole('dialog');
    const part = (name: string) => dialog.locator('section', { has: page.getByRole('heading', { name, level: 3 }) });
    const begun = part('Begun before the backup');
    await begun.getByText('3 posts of 2 campaigns').waitFor();
    expect(await begun.getByRole('listitem').count()).toBe(2);
    const due = part('Due since the backup');
    await due.getByText('6 posts of 1 campaign').waitFor();
    await due.getByText('First due:', { exact: false }).waitFor();
    await due
      .getByText('2 runs are more than six hours late, with 4 posts. “Send” does not begin them', { exact: false })
      .waitFor();
    await due.getByRole('listitem').getByText('4 posts more than six hours late', { exact: false }).waitFor();
    const made = part('Made since the restore');
    await made.getByText('1 campaign', { exact: true }).waitFor();
    await made.getByText('They cannot have been sent before', { exact: false }).waitFor();
    expect(await dialog.getByText('Harvest supper').count()).toBe(0);
    await dialog.getByText('The data is as of', { exact: false }).waitFor();
    expect(await findBarriersInLooks(page, 'parts')).toEqual([]);

    await dialog.getByLabel('All campaigns, unless chosen below').selectOption('Send');
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByLabel('Your password').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await sql<{ status: string }>`
    select r.status from runs r join campaigns c using (campaign_id) where c.name = 'Morning prayer' order by r.due_at`.execute(
      app.database.db,
    );
    // The worker misses those that are too late.
    expect(rows.filter(({ status }) => status === 'running')).toHaveLength(1);
    await visited.end();
  },
);

test.skipIf(!browser)(
  'ends the hold after an administrator has decided each campaign; others are told whom to ask',
  async () => {
    const alice = await app.signUp('alice');
    const { spring, summer } = await queueTwo(alice);
    await alice.call('venom/pause-campaign', { campaign_id: summer });
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
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'Summer fair' })
      .getByText('Paused. With “Send” it stays paused')
      .waitFor();
    expect(await dialog.getByText('Paused.').count()).toBe(1);
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
    expect(await totalsOf(alice, summer)).toMatchObject({ sent: 0, queued: 2, failed: 0 });
    await visited.end();
  },
);
