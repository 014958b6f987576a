/** Too many posts, and groups that did not read, in the dashboard, in a real browser. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Person } from '../support/app.ts';
import { findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { until } from '../support/ledger.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 0, timeZone: 'Europe/Berlin' });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let person: Person;
  let groups: Array<{ group_metadata_id: number; group_name: string }>;
  let people = 0;
  beforeEach(async () => {
    person = await app.signUp(`user${++people}`);
    const { body } = await person.call<{ groups: typeof groups }>('venom/list-groups');
    ({ groups } = body.data);
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
  const ids = () => groups.map((group) => group.group_metadata_id);
  const schedule = async (name: string, schedule_time: string, days = 1) => {
    const answer = await person.call('venom/add-campaign-batch', {
      name,
      html: name,
      group_metadata_ids: ids(),
      is_schedule: true,
      start_date: tomorrow.toString(),
      end_date: tomorrow.add({ days: days - 1 }).toString(),
      schedule_time,
    });
    expect(answer.status).toBe(200);
  };
  /** A campaign that was sent, and read by these shares of the members. */
  async function sendWithReads(name: string, shares: readonly number[]): Promise<string> {
    const post = { name, html: name, group_metadata_ids: ids() };
    const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', post);
    const { campaign_id } = body.data;
    await until(
      () => person.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      (answer) => answer.body.data.status === 'completed',
    );
    for (const [index, share] of shares.entries())
      await sql`
        update deliveries d set recipients = 50, delivered = 50, read = ${Math.round(share * 50)}
        from runs r join campaigns c on c.campaign_id = r.campaign_id
        where c.public_id = ${campaign_id} and d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.group_id = ${ids()[index]}`.execute(
        app.database.db,
      );
    return campaign_id;
  }

  test('marks the runs in the calendar that are too much, with the sentence, and says so before sending', async () => {
    await schedule('Morning news', '09:00:00', 7);
    await schedule('Raffle', '09:30:00');
    await page.goto(`/calendar?view=week&day=${tomorrow.toString()}`);
    const chip = page.getByRole('link', { name: /09:30\s*Raffle/ });
    await chip.getByText('3 groups get two posts within an hour').waitFor();
    await page.getByText('Too many posts', { exact: true }).waitFor();
    await page.goto(`/calendar?day=${tomorrow.toString()}`);
    await chip.getByText('3 groups get two posts within an hour').waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await page.goto(`/campaigns/new?day=${tomorrow.toString()}`);
    await writeMessage(page, 'Once more');
    await page.getByRole('checkbox', { name: groups[0]?.group_name ?? '' }).check();
    const check = page.getByRole('region', { name: 'Check' });
    await check.getByText('1 group gets two posts within an hour').waitFor();
    await check.getByText('1 group gets more than 7 posts in 7 days, up to 9').waitFor();
  });

  test('sets how many posts are too many', async () => {
    await page.goto('/account');
    await page.getByLabel('Warn above this many posts per group in 7 days').fill('3');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await person.call('venom/update-account')).body.data).toMatchObject({ weekly_posts: 3 });
  });

  test('lists who did not read, writes to them, and reminds them', async () => {
    const id = await sendWithReads('Spring fair', [0.1, 0.42, 0.9]);
    await page.goto(`/campaigns/${id}`);
    const section = page.getByRole('region', { name: 'Groups with few readers' });
    await section.getByText('In 2 of 3 groups, fewer than 50% of the members have read it.').waitFor();
    await section.getByText('10%').waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await section.getByLabel('Read by fewer than').fill('20');
    await section.getByText('In 1 of 3 groups, fewer than 20% of the members have read it.').waitFor();
    await section.getByRole('button', { name: 'New campaign to these groups' }).click();
    await page.getByRole('button', { name: 'Send to 1 simulated group now' }).waitFor();

    await page.goto(`/campaigns/${id}`);
    await section.getByLabel('Days until the reminder').fill('2');
    await section.getByRole('button', { name: 'Remind in 2 days' }).click();
    await page.getByLabel('Only groups in which fewer members have read “Spring fair”').waitFor();
    await writeMessage(page, 'It is on Sunday');
    const check = page.getByRole('region', { name: 'Check' });
    await check.getByText('As of now, 2 of 2 groups would get this reminder').waitFor();
    await page.getByRole('button', { name: /^Schedule/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Schedule/ })
      .click();
    await page.getByRole('heading', { name: 'Reminder: Spring fair', level: 1 }).waitFor();
    await page.getByText('Goes to groups in which fewer than 50% have read').waitFor();
    const { body } = await person.call<{ campaigns: Array<{ campaign_id: string; is_follow_up?: true }> }>(
      'venom/list-campaigns',
    );
    const reminder = body.data.campaigns.find((one) => one.is_follow_up);
    expect((await person.call('venom/get-campaign', { campaign_id: reminder?.campaign_id })).body.data).toMatchObject({
      follow_up: { campaign_id: id, run_id: null, under_percent: 50 },
      start_date: Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 2 }).toString(),
    });
    await page.goto('/');
    await page.getByText('2 groups · Reminder').waitFor();
    await page.goto(`/calendar?day=${Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 2 }).toString()}`);
    await page.getByRole('link', { name: /Reminder: Spring fair .*Reminder/ }).waitFor();
  });

  test('says which groups a reminder left out', async () => {
    const first = await sendWithReads('Spring fair', [0.1, 0.72, 0.9]);
    const post = { name: 'It is on Sunday', html: 'Sunday', group_metadata_ids: ids() };
    const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', {
      ...post,
      follow_up: { campaign_id: first, under_percent: 50 },
    });
    await page.goto(`/campaigns/${body.data.campaign_id}`);
    const section = page.getByRole('region', { name: 'Reminder' });
    await section.getByText('2 groups were left out').waitFor();
    await section.getByRole('link', { name: 'Spring fair' }).waitFor();
    await page.getByTitle('Left out: read by 72%').waitFor();
    await page.getByText('of 1 group', { exact: true }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    // Nothing is missing of a reminder that has ended.
    await page.goto('/');
    const row = page.getByRole('listitem').filter({ hasText: 'It is on Sunday' });
    await row.getByText('1 of 1 sent · 2 left out').waitFor();
    expect(await row.getByRole('progressbar').count()).toBe(0);
  });
});
