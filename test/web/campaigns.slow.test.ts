/** What can be done to a campaign in the dashboard after it was sent or planned, in a real browser. */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { findBarriers } from '../support/browser/dashboard-page.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { moreOf, signInInBrowser } from '../support/browser/dashboard-user.ts';
import { drawPng } from '../support/inputs/draw-png.ts';
import { until } from '../support/ledger.ts';
import { workspaceOf } from '../support/workspaces.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200, timeZone: 'Europe/Berlin' });
afterAll(() => app.stop());

const PICTURE = drawPng(48, 32).toString('base64');

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let person: Person;
  let groups: number[];
  let people = 0;
  beforeEach(async () => {
    person = await app.signUp(`user${++people}`);
    const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    groups = body.data.groups.map((group) => group.group_metadata_id);
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  async function send(more: object = {}): Promise<string> {
    const post = { name: 'Fair', html: '<p>We open at nine</p>', group_metadata_ids: groups, ...more };
    const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', post);
    return body.data.campaign_id;
  }

  /** Days are counted from today. */
  async function schedule(first: number, last: number, more: object = {}): Promise<string> {
    const today = Temporal.Now.plainDateISO('Europe/Berlin');
    const answer = await person.call('venom/add-campaign-batch', {
      name: 'Good morning',
      html: '<p>We open at nine</p>',
      group_metadata_ids: groups,
      is_schedule: true,
      start_date: today.add({ days: first }).toString(),
      end_date: today.add({ days: last }).toString(),
      schedule_time: '09:00:00',
      ...more,
    });
    return answer.headers.get('x-campaign-id') ?? '';
  }

  const read = async (campaign_id: string) =>
    (await person.call<Record<string, unknown>>('venom/get-campaign', { campaign_id })).body.data;
  const isDone = (campaign_id: string) =>
    until(
      () => read(campaign_id),
      ({ status }) => String(status).startsWith('completed'),
    );

  /** The campaigns of home. */
  const listed = (where: Page) => where.getByRole('list', { name: 'Campaigns', exact: true });

  /** Whether the picture has really been drawn. */
  const seePicture = (place: string) =>
    until(
      () => page.evaluate(`document.querySelector('${place} img[alt=Picture]')?.naturalWidth ?? 0`),
      (width) => width === 48,
    );

  test('shows a picture on the campaign page and on the phone, and other files by their type', async () => {
    const id = await send({ image: PICTURE });
    await page.goto(`/campaigns/${id}`);
    await seePicture('section[aria-label="What members see"]');
    await page.getByRole('img', { name: 'Picture' }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download file' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('Fair.png');
    expect(await readFile(await saved.path(), 'base64')).toBe(PICTURE);
    await send({ image: Buffer.from('%PDF-1.4 programme %%EOF').toString('base64') });
    await page.goto('/phone');
    await seePicture('figure');
    const files = page.getByRole('figure').getByText('file.pdf').locator('..');
    await files.first().waitFor();
    expect(await files.allTextContents()).toEqual(['file.pdf24 bytes']);
  });

  test('shows the reason of failures and retries them with one click', async () => {
    // The group is taken from the account behind its back, as when an admin of it removes somebody.
    const takeAway = (by: number) =>
      sql`update sandbox_chats set workspace_id = workspace_id + ${by}::bigint where name = 'Chess friends' and workspace_id + ${by}::bigint in
            (select workspace_id from accounts where workspace_id = ${workspaceOf(person)}
             union select workspace_id + 1000000 from accounts where workspace_id = ${workspaceOf(person)})`.execute(
        app.database.db,
      );
    await takeAway(1_000_000);
    const id = await send();
    await page.goto(`/campaigns/${id}`);
    const failures = page.getByRole('region', { name: '1 post failed' });
    await failures.getByText('the group no longer exists, or you are no longer a member.').waitFor();
    await failures.getByText('Chess friends').waitFor();
    await page.getByRole('row', { name: /^Chess friends Failed 1/ }).waitFor();
    await page.getByRole('list', { name: 'Groups' }).getByRole('link', { name: 'Chess friends: Failed' }).waitFor();
    await takeAway(-1_000_000);
    await failures.getByRole('button', { name: 'Retry 1 failed' }).click();
    await page.getByText('Done', { exact: true }).first().waitFor();
    await failures.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^Chess friends Sent/ }).waitFor();
    expect(await read(id)).toMatchObject({ status: 'completed' });
  });

  test('leaves posts that may have arrived out of a retry, says how many they are, and sends them once told to', async () => {
    const { db } = app.database;
    await sql`update groups set send_to = 'nowhere-' || send_to where group_id in (${groups[0]}, ${groups[1]})`.execute(
      db,
    );
    const id = await send();
    await isDone(id);
    await sql`update deliveries set error = 'outcome_unknown: a test', error_code = 'outcome_unknown'
              where workspace_id = ${workspaceOf(person)} and group_id = ${groups[0]} and status = 'failed'`.execute(
      db,
    );
    await sql`update groups set send_to = replace(send_to, 'nowhere-', '') where group_id in (${groups[0]}, ${groups[1]})`.execute(
      db,
    );
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Retry 2 failed posts' }).click();
    const question = page.getByRole('alert').filter({ hasText: '1 post may have arrived already' });
    await question.getByText('Look into the groups of “Fair” first', { exact: false }).waitFor();
    const totals = async () => {
      const { rows } = await sql<{ sent: number; failed: number }>`
        select sum(r.sent)::int as sent, sum(r.failed)::int as failed from runs r join campaigns c using (campaign_id)
        where c.public_id = ${id}::uuid`.execute(db);
      return rows[0];
    };
    await until(totals, (now) => now?.sent === 2);
    expect(await totals()).toEqual({ sent: 2, failed: 1 });
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Send anyway' }).click();
    await until(totals, (now) => now?.sent === 3);
    await question.waitFor({ state: 'detached' });
  });

  test('asks what to do with a campaign that three groups in a row refuse, and goes on when it is resumed', async () => {
    const account = sql`(select workspace_id from accounts where workspace_id = ${workspaceOf(person)})`;
    await sql`update sandbox_chats set workspace_id = -workspace_id where workspace_id = ${account}`.execute(
      app.database.db,
    );
    const id = await schedule(1, 2);
    const { body } = await person.call<{ runs: Array<{ run_id: number }> }>('venom/get-campaign', { campaign_id: id });
    const [first, next] = body.data.runs.map((run) => run.run_id);
    await person.call('venom/send-run-now', { campaign_id: id, run_id: first });
    await page.goto(`/campaigns/${id}`);
    await page.getByText('Paused: three posts in a row were refused for the same reason', { exact: false }).waitFor();
    await page.getByText('the group no longer exists, or you are no longer a member.').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await read(id)).toMatchObject({
      status: 'paused',
      pause_reason: expect.stringMatching(/refused for one reason: The group no longer exists.*or cancel it/),
    });
    await page.getByRole('button', { name: 'Notices, 2 unread' }).click();
    const notice =
      'Good morning is paused: three posts in a row were refused for the same reason. Resume or cancel it.';
    await page.getByRole('link', { name: notice }).waitFor();
    await page.keyboard.press('Escape');
    await sql`update sandbox_chats set workspace_id = -workspace_id where workspace_id = -${account}`.execute(
      app.database.db,
    );
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Paused: three posts in a row', { exact: false }).waitFor({ state: 'detached' });
    expect(await read(id)).toMatchObject({ status: 'scheduled' });
    await person.call('venom/send-run-now', { campaign_id: id, run_id: next });
    await until(
      () => read(id),
      ({ status }) => status === 'completed_with_errors',
    );
  });

  test('corrects and then recalls sent posts, as members see it', async () => {
    const id = await send();
    await isDone(id);
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Edit sent posts…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the sent posts of “Fair”' });
    await dialog.getByText('Replaces the text in 3 groups. The attachment stays.', { exact: false }).waitFor();
    await dialog.getByText('WhatsApp allows this for 15 minutes', { exact: false }).waitFor();
    const submit = dialog.getByRole('button', { name: 'Edit for everyone' });
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('We open at ten');
    await dialog.getByRole('group', { name: 'What members see' }).getByText('We open at ten').waitFor();
    await dialog.getByText('3 groups', { exact: true }).waitFor();
    await dialog.getByText(/^\d+ members$/).waitFor();
    await dialog.getByText(/^Sent .*\d{4}, \d\d:\d\d/).waitFor();
    const [was, becomes] = [dialog.getByRole('definition').first(), dialog.getByRole('definition').last()];
    expect([await was.innerText(), await becomes.innerText()]).toEqual(['We open at nine', 'We open at ten']);
    await submit.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Edited or deleted later' }).getByText('3 posts were edited.').waitFor();
    await page.getByRole('row', { name: /^Chess friends Sent Edited/ }).waitFor();
    await page.getByRole('region', { name: 'What members see' }).getByText('We open at ten').waitFor();
    await page.goto('/phone');
    const phone = page.getByRole('figure', { name: /with Chess friends open/ });
    await phone.getByText('We open at ten').waitFor();
    await phone.getByText('Edited').waitFor();

    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Delete for everyone…' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone.', { exact: false }).waitFor();
    await page.getByRole('dialog').getByText('3 groups', { exact: true }).waitFor();
    await page.getByRole('dialog').getByText('We open at ten').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click();
    await page.getByText('3 posts were deleted for everyone.').waitFor();
    await page.getByRole('row', { name: /^Chess friends Sent Deleted/ }).waitFor();
    await page.getByRole('region', { name: 'What members see' }).getByText('This message was deleted').waitFor();
    await page.goto('/phone');
    await phone.getByText('This message was deleted').waitFor();
    expect(await phone.getByText('We open').count()).toBe(0);
  });

  test('warns before correcting posts that are too old, and shows why it failed', async () => {
    const id = await send();
    await isDone(id);
    // In the ledger and at the members' phones it is an hour ago.
    await sql`update deliveries set sent_at = sent_at - interval '1 hour' where workspace_id in
                (select workspace_id from accounts where workspace_id = ${workspaceOf(person)})`.execute(
      app.database.db,
    );
    await sql`update sandbox_messages set sent_at = sent_at - interval '1 hour' where account_id in
                (select account_id from accounts where workspace_id = ${workspaceOf(person)})`.execute(app.database.db);
    await page.goto(`/campaigns/${id}`);
    await page.getByText(/^It could be edited until .*\. WhatsApp allows this for 15 minutes/).waitFor();
    await page.getByRole('button', { name: 'Delete for everyone…' }).waitFor();
    expect(await page.getByRole('button', { name: 'Edit sent posts…' }).count()).toBe(0);
    // One was sent a moment ago, as far as the ledger knows.
    await sql`update deliveries set sent_at = campanile_now() where position = 1 and workspace_id in
                (select workspace_id from accounts where workspace_id = ${workspaceOf(person)})`.execute(
      app.database.db,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Edit sent posts…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is too late in 2 groups: those posts stay as they are.', { exact: false }).waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'It is too late in 2 groups' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.type('!');
    await dialog.getByRole('button', { name: 'Edit for everyone' }).click();
    const changed = page.getByRole('region', { name: 'Edited or deleted later' });
    await changed.getByText('It failed in 2 groups.').waitFor();
    await changed.getByText('1 of 3 posts were edited.').waitFor();
    await changed
      .getByText(/^It was too late: posts can be edited for 15 minutes.*Send a correction as a new post\.$/)
      .waitFor();
    const refusals = page.locator('td[title^="it was too late"]');
    await refusals.first().waitFor();
    expect(await refusals.allInnerTexts()).toEqual(['Failed', 'Failed']);
  });

  test('recalls one run of a schedule without the others', async () => {
    const id = await schedule(1, 3);
    await sql`update runs set due_at = campanile_now() where run_id in
                (select run_id from runs r join campaigns c using (campaign_id) where c.public_id = ${id} order by r.due_at limit 2)`.execute(
      app.database.db,
    );
    await until(
      () => read(id),
      ({ runs }) => (runs as Array<{ status: string }>).filter(({ status }) => status === 'completed').length === 2,
    );
    await page.goto(`/campaigns/${id}`);
    await page
      .getByRole('button', { name: /^Actions for the run of/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Delete for everyone…' }).click();
    await page.getByRole('dialog').getByText('in 3 groups. Other runs stay.', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click();
    await page.getByText('3 of 6 posts were deleted for everyone.').waitFor();
    await page.getByRole('progressbar', { name: '3 of 6 posts were deleted for everyone.' }).waitFor();
    await page.goto('/phone');
    const phone = page.getByRole('figure', { name: /with Chess friends open/ });
    await phone.getByText('This message was deleted').waitFor();
    expect(await phone.getByText('We open at nine').count()).toBe(1);
  });

  test('counts the posts to delete when the dialog opens, not by the figures of the page', async () => {
    const id = await send();
    await isDone(id);
    let isOld = true;
    await page.route('**/analytics/get-campaign-group-analytics-master', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { groups: Array<{ sent: number }>; totals: { sent: number } } };
      for (const group of isOld ? body.data.groups.slice(1) : []) group.sent = 0;
      await route.fulfill({ response, json: body });
    });
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Delete for everyone…' }).waitFor();
    isOld = false;
    await page.getByRole('button', { name: 'Delete for everyone…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByText(/in 1 group\b/).count()).toBe(0);
    await dialog.getByText(/in 3 groups/).waitFor();
  });

  test('says in the list and on the page that a campaign was deleted for everyone', async () => {
    const id = await send();
    await isDone(id);
    await person.call('venom/recall-campaign', { campaign_id: id });
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('region', { name: 'Progress' }).getByText('Deleted for everyone').waitFor();
    await page.goto('/');
    await listed(page).getByText('Deleted for everyone').waitFor();
    expect(await listed(page).getByText('Done', { exact: true }).count()).toBe(0);
  });

  test('skips, moves and sends single runs, on the page of the campaign and in the calendar', async () => {
    const id = await schedule(1, 3);
    await page.goto(`/campaigns/${id}`);
    const menu = (place: number) => page.getByRole('button', { name: /^Actions for Good morning, / }).nth(place);
    await menu(2).click();
    await page.getByRole('menuitem', { name: 'Skip' }).click();
    await page.getByRole('dialog').getByText('Nothing is sent on', { exact: false }).waitFor();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
    await page.getByText('1 day is skipped.', { exact: false }).waitFor();
    await menu(1).click();
    await page.getByRole('menuitem', { name: 'Move…' }).click();
    const form = page.getByRole('dialog', { name: 'Move a run of “Good morning”' });
    const field = form.getByLabel('New day and time');
    await field.fill('2020-01-01T18:00');
    await form.getByRole('button', { name: 'Move' }).click();
    await form.getByText('This is in the past. Choose a later time.').waitFor();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    const day = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 2 });
    await field.fill(`${day.toString()}T18:30`);
    await form.getByRole('button', { name: 'Move' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/^moved from .*09:00$/).waitFor();
    expect(((await read(id)).runs as unknown[]).length).toBe(2);

    await page.goto(`/calendar?view=week&day=${day.subtract({ days: 1 }).toString()}`);
    const first = page.getByRole('link', { name: /^09:00\s*Good morning/ });
    await first.hover();
    await menu(0).click();
    await page.getByRole('menuitem', { name: 'Send now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Good morning is being sent.').waitFor();
    await until(
      () => read(id),
      ({ runs }) => (runs as Array<{ sent: number }>).some(({ sent }) => sent === 3),
    );
    visited.forgive(refused('400'));
  });

  test('moves a run that is dragged to another day, once that is confirmed', async () => {
    const id = await schedule(1, 1);
    const day = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
    await page.goto(`/calendar?view=week&day=${day.toString()}`);
    const title = (of: Temporal.PlainDate) =>
      of.toLocaleString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
    const target = day.dayOfWeek === 7 ? Temporal.Now.plainDateISO('Europe/Berlin') : day.add({ days: 1 });
    const chip = page.getByRole('link', { name: /^09:00\s*Good morning/ });
    await chip.dragTo(page.getByRole('listitem', { name: title(target) }));
    const form = page.getByRole('dialog', { name: 'Move a run of “Good morning”' });
    await form.getByText(/^Now scheduled for .*09:00.*\.$/).waitFor();
    expect(await form.getByLabel('New day and time').inputValue()).toBe(`${target.toString()}T09:00`);
    expect(((await read(id)).runs as Array<{ moved_from?: string }>)[0]?.moved_from).toBeUndefined();
    if (day.dayOfWeek === 7) await form.getByLabel('New day and time').fill(`${day.toString()}T18:30`);
    await form.getByRole('button', { name: 'Move' }).click();
    await form.waitFor({ state: 'detached' });
    expect(((await read(id)).runs as Array<{ moved_from?: string }>)[0]?.moved_from).toBeDefined();
  });

  test('opens the month at today on a phone', async () => {
    for (const days of [1, 2, 3]) await schedule(days, 1);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/calendar');
    const today = page.locator('[aria-current=date]');
    await today.waitFor();
    await expect
      .poll(async () => {
        const box = await today.boundingBox();
        return box !== null && box.y >= 0 && box.y < 844;
      })
      .toBe(true);
  });

  test('shows the dates and the groups of a campaign that is still to come, and no figures of posts', async () => {
    const id = await schedule(1, 3);
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('list', { name: 'Runs (3)' }).getByRole('listitem').nth(2).waitFor();
    await page.getByRole('row', { name: 'Chess friends 5' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Group', 'Members']);
    expect(await page.getByText('–', { exact: true }).count()).toBe(0);
  });

  test('shows the groups in two lines on a phone, without scrolling sideways', async () => {
    const id = await send();
    await isDone(id);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('row', { name: /^Chess friends\s*Sent · \d of 4 members/ }).waitFor();
    // The types of this project know no browser.
    const box = `document.querySelector('[role=group][aria-label=Groups]')`;
    expect(await page.evaluate(`${box}.scrollWidth <= ${box}.clientWidth`)).toBe(true);
  });

  test('shows no next run while a campaign is paused, and copies a plan with its plan', async () => {
    const id = await schedule(1, 3);
    await page.goto(`/campaigns/${id}`);
    await page.getByText(/Next run /).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByText(/Next run /).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    expect(await page.getByRole('radio', { name: 'On a schedule' }).isChecked()).toBe(true);
    await page.getByText(/^Runs: .*09:00/).waitFor();
  });

  test('changes the text, groups, file and times of a schedule without touching finished runs', async () => {
    const id = await schedule(1, 4, { image: PICTURE });
    await sql`update runs set due_at = campanile_now() where run_id =
                (select min(run_id) from runs r join campaigns c using (campaign_id) where c.public_id = ${id})`.execute(
      app.database.db,
    );
    await until(
      () => read(id),
      ({ status, runs }) => status === 'scheduled' && (runs as Array<{ sent: number }>).some(({ sent }) => sent === 3),
    );
    const before = await read(id);
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByRole('heading', { name: 'Change “Good morning”', level: 1 }).waitFor();
    await page.getByText('Your changes apply to the 3 remaining runs.', { exact: false }).waitFor();
    await page.getByText('1 run has already begun or ended and does not change.', { exact: false }).waitFor();
    await seePicture('aside');
    const save = page.getByRole('button', { name: 'Save changes' });
    await page.getByText('No changes yet.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Campaign name').fill('Good evening');
    await page.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('We close at six');
    await page.getByRole('checkbox', { name: 'Village news' }).uncheck();
    await page.getByLabel('Time', { exact: true }).fill('17:30');
    await page.getByText(/^Runs: .*17:30/).waitFor();
    await save.click();
    const dialog = page.getByRole('dialog');
    for (const line of [
      'New name: Good evening (was Good morning).',
      'The message changes.',
      'Groups: 1 of 3 removed.',
      'The schedule changes. Before: ',
      // The one that has gone out stood on the first day, on which the new time is still to come.
      '4 runs remain; there were 3.',
    ])
      await dialog.getByText(line, { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Good evening', level: 1, exact: true }).waitFor();
    const after = await read(id);
    expect(after).toMatchObject({ name: 'Good evening', text: 'We close at six', schedule_time: '17:30:00' });
    expect(after['media'], 'the picture stays').toEqual(before['media']);
    expect(after['group_metadata_ids']).toHaveLength(2);
    const begun = (campaign: Record<string, unknown>) =>
      (campaign['runs'] as Array<{ status: string }>).filter(({ status }) => status === 'completed');
    expect(begun(after)).toEqual(begun(before));
    expect((after['runs'] as unknown[]).length - begun(after).length).toBe(4);
    await page.goto('/phone');
    await page.getByRole('figure').getByText('We open at nine').waitFor();

    await page.goto(`/campaigns/${id}/change`);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await save.click();
    await dialog.getByText('The file is removed.').waitFor();
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Good evening', level: 1, exact: true }).waitFor();
    expect((await read(id))['media']).toBeNull();
  });

  test('says that a finished campaign cannot be changed, with a link back', async () => {
    const id = await send();
    await isDone(id);
    await page.goto(`/campaigns/${id}/change`);
    await page.getByText('This campaign can no longer be changed').waitFor();
    await page.getByRole('link', { name: 'Go to the campaign' }).click();
    await page.getByRole('heading', { name: 'Fair', level: 1 }).waitFor();
    await page.goto('/campaigns/00000000-0000-4000-8000-000000000000/change');
    await page.getByText('This page does not exist').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    visited.forgive(refused('404'));
  });

  test('shows each run in the calendar at its time, linked to its campaign', async () => {
    for (const hour of [8, 9, 10, 11, 12])
      await schedule(1, 2, { name: `At ${hour}`, schedule_time: `${String(hour).padStart(2, '0')}:00:00` });
    const event = { name: 'Fair', start_at: '2032-06-05T07:00:00Z' };
    await schedule(1, 2, { name: 'Fair', html: '', event, pin_for: '24h', schedule_time: '13:00:00' });
    const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
    await page.goto('/calendar');
    await page.getByText('Times in Europe/Berlin', { exact: false }).waitFor();
    await page.getByRole('list', { name: 'Calendar' }).waitFor();
    const title = tomorrow.toLocaleString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
    const day = page.getByRole('listitem', { name: title });
    await day.getByRole('link', { name: /^08:00\s*At 8\s.*\(Scheduled\)$/ }).waitFor();
    await day.getByRole('button', { name: '3 more' }).click();
    await day.getByRole('link', { name: /^13:00\s*Event on .*5 Jun 2032, 09:00.*Pinned\s*Fair/ }).waitFor();
    await day.getByRole('link', { name: /^12:00\s*At 12/ }).click();
    await page.getByRole('heading', { name: 'At 12', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/campaigns\/[0-9a-f-]{36}$/);
  });

  test('filters the calendar by kind and list, keeps the filter in the URL, and starts a campaign on a day', async () => {
    const made = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
    await schedule(1, 1, { name: 'To groups' });
    await schedule(1, 1, { name: 'To the channel', group_metadata_ids: [made.body.data.group_metadata_id] });
    await schedule(1, 1, { name: 'To one', group_metadata_ids: groups.slice(0, 1) });
    await person.call('venom/save-group-list', { name: 'Others', group_metadata_ids: groups.slice(1) });
    const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 });
    await page.goto(`/calendar?view=week&day=${tomorrow.toString()}`);
    const title = tomorrow.toLocaleString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
    const day = page.getByRole('listitem', { name: title });
    const chip = (name: string) => day.getByRole('link', { name: new RegExp(name) });
    for (const name of ['To groups', 'To the channel', 'To one']) await chip(name).waitFor();
    await page.getByLabel('Kind').selectOption('Channels');
    await chip('To groups').waitFor({ state: 'detached' });
    await chip('To the channel').waitFor();
    await page.getByLabel('Kind').selectOption('All kinds');
    await page.getByLabel('Saved list').selectOption('Others');
    await chip('To one').waitFor({ state: 'detached' });
    await chip('To groups').click();
    await page.getByRole('heading', { name: 'To groups', level: 1 }).waitFor();
    await page.goBack();
    await chip('To groups').waitFor();
    expect(await chip('To one').count()).toBe(0);
    await page.getByRole('button', { name: `New campaign on ${title}` }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    const shown = tomorrow.toLocaleString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
    await page.getByRole('button', { name: 'First day', exact: true }).getByText(shown, { exact: false }).waitFor();
  });

  test('finds a campaign by what its post says, by its month and by its kind', async () => {
    await send({ name: 'Summer', html: '<p>The Café opens <b>at nine</b></p>' });
    await send({ name: 'Supper', html: '', poll: { question: 'Goulash?', options: ['Yes', 'No'] } });
    await sql`update campaigns set created_at = created_at - interval '95 days' where name = 'Supper'`.execute(
      app.database.db,
    );
    await page.goto('/');
    await listed(page).getByRole('listitem').filter({ hasText: 'Summer' }).waitFor();
    await page.getByLabel('Search campaigns').fill('nine cafe');
    await listed(page).getByRole('listitem').filter({ hasText: 'Supper' }).waitFor({ state: 'detached' });
    await listed(page).getByRole('listitem').filter({ hasText: 'Summer' }).waitFor();
    await page.getByLabel('Search campaigns').fill('');
    await listed(page).getByRole('listitem').filter({ hasText: 'Supper' }).waitFor();
    await page.getByLabel('Month').selectOption({ index: 2 });
    await page.getByText('No campaigns found').waitFor();
    const ago = Temporal.Now.zonedDateTimeISO('Europe/Berlin').subtract({ days: 95 });
    await page.getByLabel('Month').selectOption(ago.toPlainDate().toString().slice(0, 7));
    await listed(page).getByRole('listitem').filter({ hasText: 'Supper' }).waitFor();
    expect(await listed(page).getByText('Summer').count()).toBe(0);
    await page.getByLabel('Kind').selectOption('Event');
    await page.getByText('No campaigns found').waitFor();
    await page.getByLabel('Kind').selectOption('Poll');
    await listed(page).getByRole('listitem').filter({ hasText: 'Supper' }).waitFor();
  });

  test('lists campaigns first, by their next run or their age, and what needs attention only if something does', async () => {
    const [one = 0] = groups;
    const zone = Temporal.Now.zonedDateTimeISO('Europe/Berlin');
    // All but the last hours of a day have a run to come on the same day.
    const soon = zone.add({ hours: 2 });
    const isToday = soon.toPlainDate().equals(zone.toPlainDate());
    await schedule(isToday ? 0 : 1, 3, {
      name: 'Tonight',
      schedule_time: `${soon.toPlainTime().toString().slice(0, 5)}:00`,
    });
    await schedule(20, 21, { name: 'Next month', html: '<p>Bring <b>boots</b></p><ul><li>tea</li></ul>' });
    // A page of campaigns that are newer than those.
    for (let many = 0; many < 51; many++) await send({ name: `Fair ${many}`, group_metadata_ids: [one] });
    await sql`update campaigns set created_at = created_at - interval '30 days' where name = 'Fair 50'`.execute(
      app.database.db,
    );
    const sending = () => person.call<{ campaigns: unknown[] }>('venom/list-campaigns', { status: 'running' });
    await expect.poll(async () => (await sending()).body.data.campaigns).toEqual([]);
    await page.goto('/');
    const lines = listed(page).getByRole('listitem');
    await lines.getByText('Next month').waitFor();
    const shown = /Next up|Today|Earlier|Tonight|Next month|Fair \d+/;
    const texts = (await lines.allInnerTexts()).map((text) => shown.exec(text)?.[0]);
    expect(texts.slice(0, 5)).toEqual(['Next up', 'Tonight', 'Next month', 'Today', 'Fair 49']);
    expect(texts.slice(-2)).toEqual(['Earlier', 'Fair 50']);
    await lines
      .filter({ hasText: 'Next month' })
      .getByText(/, 09:00/)
      .waitFor();
    await lines.getByText('Bring boots tea', { exact: true }).waitFor();
    expect((await lines.filter({ hasText: 'Fair 49' }).boundingBox())?.height).toBeLessThanOrEqual(42);
    // Only one line of figures is above the list.
    expect(await page.getByRole('region', { name: 'Needs attention' }).count()).toBe(0);
    const figures = page.getByRole('region', { name: 'Results' });
    await figures.waitFor();
    expect((await figures.boundingBox())?.height).toBeLessThan(40);
    expect((await listed(page).boundingBox())?.y).toBeLessThan(280);
  });

  test('says in the list which campaigns are polls and events', async () => {
    await send({ html: '', poll: { question: 'When?', options: ['Now', 'Later'] } });
    await send({ name: 'Party', html: '', event: { name: 'Party', start_at: '2032-06-05T09:00:00+02:00' } });
    await send({ name: 'News' });
    await page.goto('/');
    await listed(page)
      .getByRole('link', { name: /^Fair Poll/ })
      .waitFor();
    await listed(page)
      .getByRole('link', { name: /^Party Event/ })
      .waitFor();
    await listed(page)
      .getByRole('link', { name: /^News 3 groups/ })
      .waitFor();
    expect(await listed(page).getByRole('link').count()).toBe(3);
  });

  test('says at the top of the list what needs attention, with links', async () => {
    const id = await schedule(1, 3);
    await person.call('venom/pause-campaign', { campaign_id: id });
    await sql`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`.execute(app.database.db);
    const failed = await send();
    await isDone(failed);
    await page.goto('/');
    const needs = page.getByRole('region', { name: 'Needs attention' });
    await needs.getByText(/^Good morning is paused: the run of .* 09:00 is waiting\.$/).waitFor();
    await needs.getByRole('link', { name: 'Fair: 1 post failed.' }).click();
    await page.getByRole('heading', { name: 'What did not go out', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Fair' }).click();
    await page.getByRole('heading', { name: 'Fair', level: 1 }).waitFor();
    expect(await page.getByRole('row').count(), 'the heading and the group that failed').toBe(2);
  });

  test('lists what did not go out, sends it now or leaves it out', async () => {
    const id = await schedule(1, 3);
    await sql`update runs set due_at = campanile_now() - interval '7 hours' where run_id =
                (select min(run_id) from runs r join campaigns c using (campaign_id) where c.public_id = ${id})`.execute(
      app.database.db,
    );
    await sql`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`.execute(app.database.db);
    await isDone(await send());
    await until(
      () => read(id),
      ({ runs }) => (runs as Array<{ status: string }>).some(({ status }) => status === 'missed'),
    );
    await page.goto('/unsent');
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
    await row('Good morning').getByText('Missed: nothing went to 3 groups.').waitFor();
    await row('Fair').getByText('1 of 3 posts failed.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await row('Fair').getByRole('button', { name: 'Leave out' }).click();
    await row('Fair').waitFor({ state: 'detached' });
    await row('Good morning').getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('dialog').getByText('goes to 3 groups now', { exact: false }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Everything went out').waitFor();
    await until(
      () => read(id),
      ({ runs }) => (runs as Array<{ sent: number }>).some(({ sent }) => sent === 2),
    );
    await page.goto('/');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByText('Fair').first().waitFor();
    expect(await page.getByRole('link', { name: 'Fair: 1 post failed.' }).count()).toBe(0);
  });

  test('opens failed groups, excludes them, or starts a campaign for them alone', async () => {
    await sql`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`.execute(app.database.db);
    const id = await schedule(1, 3);
    await sql`update runs set due_at = campanile_now() where run_id =
                (select min(run_id) from runs r join campaigns c using (campaign_id) where c.public_id = ${id})`.execute(
      app.database.db,
    );
    await until(
      () => read(id),
      ({ runs }) => (runs as Array<{ sent: number }>).some(({ sent }) => sent === 2),
    );
    await page.goto(`/campaigns/${id}`);
    await page.getByText(/^Every day at 09:00 \(Europe\/Berlin\), from .* to .*\.$/).waitFor();
    const failures = page.getByRole('region', { name: '1 post failed' });
    await failures.getByRole('button', { expanded: false }).click();
    await failures.getByRole('button', { name: 'Copy names' }).waitFor();
    await failures.getByRole('button', { name: 'Exclude from next runs' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('skip 1 group and go to the other 2', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Exclude from next runs' }).click();
    await page.getByText('1 group is excluded from now on.').waitFor();
    expect((await read(id))['group_metadata_ids']).toEqual(groups.slice(1));
    await failures.getByRole('button', { name: 'New campaign to these' }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Send to 1 simulated group now' }).waitFor();
  });

  test('shows the same read rate everywhere, and counts each group once', async () => {
    // Nobody is there but those whom the test speaks for.
    await sql`update sandbox_chats set participants = '{}' where workspace_id in
                (select workspace_id from accounts where workspace_id = ${workspaceOf(person)})`.execute(
      app.database.db,
    );
    const id = await send();
    await isDone(id);
    const { rows } = await sql<{ accountId: AccountId; messageId: string }>`
      select account_id as "accountId", message_id as "messageId" from deliveries where workspace_id in
        (select workspace_id from accounts where workspace_id = ${workspaceOf(person)})`.execute(app.database.db);
    const events = rows.flatMap((post) =>
      ['ann', 'ben', 'cem', 'dan'].map((participant, index) => ({
        ...post,
        participant,
        kind: index === 0 ? ('read' as const) : ('delivered' as const),
        at: new Date(),
      })),
    );
    await recordReceipts(app.database.db, events);
    await isDone(await send({ name: 'Second', group_metadata_ids: groups.slice(0, 2) }));
    await page.goto(`/campaigns/${id}`);
    await page.getByText('3 of 12 members').waitFor();
    await page.getByText('12 of 12 members').waitFor();
    await page.getByRole('row', { name: /^Chess friends Sent 4 100% 25%/ }).waitFor();
    await page.goto('/');
    await listed(page)
      .getByRole('link', { name: /Fair.*25% read/ })
      .waitFor();
    const overview = page.getByRole('region', { name: 'Results' });
    await expect.poll(() => overview.textContent()).toMatch(/Posts sent\s*5/);
    await expect.poll(() => overview.textContent()).toMatch(/Groups reached\s*3/);
    await expect.poll(() => overview.textContent()).toMatch(/Read\s*25%/);
  });

  test('pauses, resumes and cancels a campaign from the list', async () => {
    const id = await schedule(1, 3);
    await page.goto('/');
    const row = listed(page).getByRole('listitem').filter({ hasText: 'Good morning' });
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Good morning' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Pause');
    await row.getByText('Paused').waitFor();
    await choose('Resume');
    await row.getByText('Scheduled').waitFor();
    await choose('Cancel campaign');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    await row.getByText('Cancelled').waitFor();
    expect(await read(id)).toMatchObject({ status: 'cancelled' });
  });

  test('deletes a finished campaign, and removes it from the list in another window too', async () => {
    const id = await send();
    await isDone(id);
    const other = await page.context().newPage();
    await other.goto('/');
    const row = listed(other).getByRole('link', { name: /Fair/ });
    await row.waitFor();
    await page.goto(`/campaigns/${id}`);
    // The live event may come before the answer: the page of the campaign is gone by then.
    await page.route('**/venom/delete-campaign', async (route) => {
      const response = await route.fetch();
      await page.getByText('This page does not exist').waitFor();
      await route.fulfill({ response });
    });
    await moreOf(page, 'Delete…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Sent posts stay in their groups').waitFor();
    await dialog.getByRole('button', { name: 'Delete campaign' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByText('“Fair” deleted.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await listed(page).getByRole('link', { name: /Fair/ }).count()).toBe(0);
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('Fair');
    visited.forgive(refused('404'));
    await other.close();
  });

  test('shows when a running campaign will be done', async () => {
    const inHours = (hours: number) =>
      Temporal.Now.zonedDateTimeISO('Europe/Berlin').add({ hours }).toPlainTime().toString({ smallestUnit: 'minute' });
    await person.call('venom/update-account', { quiet_hours: { from: inHours(-1), to: inHours(2) } });
    const id = await send();
    await page.goto(`/campaigns/${id}`);
    await page.getByText(/done by about .*\d\d:\d\d CES?T/).waitFor();
    const head = page.getByRole('region', { name: 'Progress' });
    expect(await head.textContent()).toContain('0 sent · 0 failed · 3 waiting · done by about');
    const squares = head.getByRole('list', { name: 'Groups' }).getByRole('link');
    expect(await squares.count()).toBe(3);
    await squares.first().focus();
    await page.keyboard.press('ArrowRight');
    const second = (await squares.nth(1).textContent()) ?? '';
    expect(second).toMatch(/^(Chess friends|Running club|Village news): Waiting$/);
    await head.getByText(second, { exact: true }).last().waitFor();
    await squares.nth(2).hover();
    await head
      .getByText((await squares.nth(2).textContent()) ?? '', { exact: true })
      .last()
      .waitFor();
    await page.goto('/');
    expect(await listed(page).getByRole('listitem').first().textContent()).toBe('Sending now');
    await listed(page)
      .getByRole('listitem')
      .nth(1)
      .getByText(/^Waiting until /)
      .waitFor();
  });
});
