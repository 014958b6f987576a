/** The composer says when posts were read best, and offers the next day without a post to the chosen groups. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addDays } from '../../web/calendar/days.ts';
import { startTestApp } from '../support/app.ts';
import { DESK, findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 0 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url, { viewport: DESK });
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const today = () => new Date().toISOString().slice(0, 10);
  const slot = () => page.getByRole('button', { name: /^Next free slot: / });
  const startsOn = () => page.getByRole('button', { name: 'First day' });

  async function groupIds(): Promise<number[]> {
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    return groups.map((group) => group.group_metadata_id);
  }

  /** Six runs at 18:00 on Tuesdays that many read, and six at 09:00 on Thursdays that few read. */
  async function fillLedger(group_metadata_ids: number[]): Promise<void> {
    const { campaign_id } = await ask<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Fair',
      html: 'Hello',
      group_metadata_ids,
    });
    await sql`
      insert into runs (workspace_id, campaign_id, content_id, status, due_at, started_at, finished_at, targets, sent, delivered, read, acknowledging)
      select r.workspace_id, r.campaign_id, r.content_id, 'completed', at, at, at, 3, 3, 30, case when is_best then 27 else 6 end, 30
      from runs r join campaigns c on c.campaign_id = r.campaign_id and c.public_id = ${campaign_id}
      cross join generate_series(1, 6) n cross join (values (true), (false)) b (is_best)
      cross join lateral (
        select (date_trunc('week', now()) - n * interval '7 days' + case when is_best then interval '1 day 18 hours' else interval '3 days 9 hours' end) as at) t`.execute(
      app.database.db,
    );
  }

  async function openPlanned(): Promise<void> {
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello');
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await page.getByText('On a schedule', { exact: true }).click();
  }

  test('offers the hour that was read best on the next day without a run, outside of quiet hours', async () => {
    await enterAsNew(page, 'bea');
    await ask('user/update_profile', { time_zone: 'UTC' });
    const ids = await groupIds();
    await fillLedger(ids);
    const plan = { is_schedule: true, schedule_time: '08:00:00', time_zone: 'UTC' };
    const post = { name: 'Busy', html: 'Hello', ...plan };
    // Every group has a post on one of the next two days.
    for (const [index, id] of ids.entries()) {
      const day = addDays(today(), 1 + (index % 2));
      await ask('venom/add-campaign-batch', { ...post, start_date: day, end_date: day, group_metadata_ids: [id] });
    }
    await ask('venom/add-campaign', { name: 'Today', html: 'Hello', group_metadata_ids: ids });
    await openPlanned();
    await page.getByText('Best read: Tuesdays at 18:00.').waitFor();
    await page.getByText('Clearly better than the other times, judging by 12 runs.').waitFor();
    await slot().waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await slot().click();
    const third = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' });
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('18:00');
    const free = addDays(today(), 3);
    expect(await startsOn().innerText()).toContain(String(Number(free.slice(8))));
    expect(third.format(new Date(free))).not.toBe('');

    await ask('venom/update-account', { quiet_hours: { from: '17:00', to: '19:30' } });
    await page.reload();
    await page.getByRole('button', { name: /^Next free slot: .*19:30$/ }).click();
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('19:30');
    await ask('venom/update-account', { quiet_hours: { from: '17:00', to: '07:15' } });
    await page.reload();
    await page.getByRole('button', { name: /^Next free slot: .*07:15$/ }).waitFor();
  });

  test('says nothing of hours without enough runs, and offers the time of the form', async () => {
    await enterAsNew(page, 'ben');
    await ask('user/update_profile', { time_zone: 'UTC' });
    await openPlanned();
    await page.getByRole('button', { name: /^Next free slot: .*09:00$/ }).waitFor();
    expect(await page.getByText('Best read').count()).toBe(0);
    await page.getByLabel('Time', { exact: true }).fill('10:30');
    await page.getByRole('button', { name: /^Next free slot: .*10:30$/ }).waitFor();
    // Midnight of today has passed.
    await page.getByLabel('Time', { exact: true }).fill('00:00');
    await page.getByRole('button', { name: /^Next free slot: .*00:00$/ }).click();
    expect(await startsOn().innerText()).toContain(String(Number(addDays(today(), 1).slice(8))));
  });
});
