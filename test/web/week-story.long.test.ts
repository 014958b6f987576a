/** A week of a manager with 302 groups and 500 campaigns: plan, approve, send, correct, find, report. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { findBarriers } from '../support/browser/dashboard-page.ts';
import { signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { lookEverywhere } from '../support/browser/looks.ts';
import { until } from '../support/ledger.ts';
import { callIn, createTeam, type Team } from '../support/team.ts';

const browser = await launchBrowser();
const app = await startTestApp({
  sandboxSpeed: 0,
  sandboxGap: { minMs: 0, maxMs: 0 },
  timeZone: 'Europe/Berlin',
});
const { db, clock } = app.database;
afterAll(() => app.stop());

const GROUPS = 302;
const CAMPAIGNS = 500;
/** Over so many days until today. */
const DAYS = 240;
const TOPICS = ['Choir rehearsal', 'Market day', 'Road closed', 'Film night', 'Bread and soup', 'Library hours'];
const STREETS = ['Mill Street', 'Old Town', 'Am Römerwall', 'River side', 'Station quarter', 'Rua das Flores'];
/** Every sixth of the groups that are added. */
const MILL_STREET = Math.floor((GROUPS - 3) / STREETS.length);
/** About three months ago. */
const SUPPER = { name: 'Harvest supper', ago: 105 };

describe.skipIf(!browser)('in a browser', () => {
  let team: Team;
  let ids: number[];

  const ask = async <Data>(who: keyof Team['members'], path: string, body: object = {}) => {
    const answer = await callIn<Data>(app, team.members[who], team.workspaceId, path, body);
    expect(answer.body, path).toMatchObject({ code: 200 });
    return answer.body.data;
  };
  const ended = () =>
    until(async () => (await sql`select from campaigns where finished_at is null`.execute(db)).rows.length, 0);

  beforeAll(async () => {
    team = await createTeam(app, 'town');
    await ask('owner', 'workspace/rename-workspace', { name: 'Town of Ebersbach' });
    await ask('owner', 'venom/list-groups');
    // Made one by one, the limits of creations would apply.
    await sql`
      insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
      select 12036300000000000 + n || '@g.us', ${team.workspaceId}::bigint, 'group',
             (${STREETS}::text[])[1 + n % ${STREETS.length}::int] || ' ' || n, '', 'invite-' || n,
             array(select '+4420794' || lpad((n * 50 + m)::text, 5, '0') from generate_series(1, 3 + n * 7 % 40) m)
      from generate_series(1, ${GROUPS - 3}::int) n`.execute(db);
    await ask('owner', 'venom/sync-groups');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('owner', 'venom/list-groups', {
      limit: 500,
    });
    ids = groups.map((group) => group.group_metadata_id);
    if (ids.length !== GROUPS) throw new Error(`there are ${ids.length} groups`);
    const supperAt = Math.round((CAMPAIGNS * (DAYS - SUPPER.ago)) / DAYS);
    await clock.advance({ days: -DAYS });
    for (let index = 0; index < CAMPAIGNS; index++) {
      const topic = TOPICS[index % TOPICS.length];
      const name = index === supperAt ? SUPPER.name : `${topic} ${index + 1}`;
      const many = index % 50 === 49 ? GROUPS : 3;
      await ask('manager', 'venom/add-campaign', {
        name,
        html: `<p><b>${topic}</b></p><p>We meet as always, number ${index + 1}.</p>`,
        group_metadata_ids: Array.from({ length: many }, (_, more) => ids[(index * 3 + more) % GROUPS]),
      });
      if (index % 10 === 9) {
        await ended();
        await clock.advance((10 * DAYS * 86_400_000) / CAMPAIGNS);
      }
    }
    await ask('owner', 'workspace/set-approval-rules', { approval: 'authors' });
  });

  async function enter(who: keyof Team['members'], path = '/'): Promise<Page> {
    const visited = await visit(browser as Browser, app.url, { viewport: { width: 1_366, height: 768 } });
    onTestFinished(() => visited.end());
    await visited.page.goto(`${path}?workspace=${team.workspaceId}`);
    await signInInBrowser(visited.page, team.members[who].name);
    await visited.page.getByRole('link', { name: 'Settings' }).first().waitFor();
    await visited.page.getByRole('heading', { level: 1 }).waitFor();
    return visited.page;
  }
  const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name, exact: true });
  async function expectSound(page: Page, name: string): Promise<void> {
    await lookEverywhere(page, `week-${name}`);
    expect(await findBarriers(page)).toEqual([]);
  }

  test('on Monday a manager plans the week for a part of the groups', async () => {
    const page = await enter('manager');
    await expectSound(page, '1-home');
    await page.goto('/groups');
    await page.getByText(`${GROUPS}`, { exact: false }).first().waitFor();
    await expectSound(page, '1-groups');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Mill Street is closed *from nine to noon*.');
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('mill');
    await button(page, 'Select all matching').click();
    await page.getByText('On a schedule').click();
    await button(page, 'First day').click();
    await page.getByRole('button', { name: 'Next month' }).click();
    await page.getByRole('dialog', { name: 'First day' }).getByRole('button', { name: /^15 / }).click();
    await button(page, 'Weekly').click();
    await expectSound(page, '1-compose');
    await button(page, `Schedule for ${MILL_STREET} simulated groups`).click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Schedule').waitFor();
    await expectSound(page, '1-receipt');
    await button(dialog, 'Schedule').click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await page.getByText('Mill Street is closed from nine to noon scheduled.').waitFor();
    await expectSound(page, '1-planned');
    await page.goto('/calendar');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSound(page, '1-calendar');
  });

  test('on Tuesday a manager approves the post of an author', async () => {
    const approval_id = randomUUID();
    await ask('author', 'venom/request-approval', {
      approval_id,
      name: 'Swimming pool opens',
      html: '<p>The pool opens on <b>Saturday</b> at ten.</p>',
      is_schedule: false,
      group_metadata_ids: ids,
      remark: 'Is Saturday right?',
    });
    const page = await enter('manager');
    await page.getByRole('region', { name: 'Waiting for you' }).waitFor();
    await expectSound(page, '2-home');
    await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click();
    await page.getByText('Is Saturday right?').waitFor();
    await page.getByText(/ and 290 more/).waitFor();
    await expectSound(page, '2-approval');
    await button(page, 'Approve').click();
    await button(page.getByRole('dialog'), 'Approve').click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}/);
    await page.getByText('Done', { exact: true }).first().waitFor();
    await expectSound(page, '2-sent');
  });

  test('on Wednesday a manager sends to all groups and corrects the post', async () => {
    const page = await enter('manager', '/campaigns/new');
    await writeMessage(page, 'Market day is on Friday at eight.');
    await button(page, 'Select all matching').click();
    await expectSound(page, '3-compose');
    await button(page, `Send to ${GROUPS} simulated groups now`).click();
    await button(page.getByRole('dialog'), 'Send now').click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await page.getByText('Done', { exact: true }).first().waitFor();
    await button(page, 'Edit sent posts…').click();
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: 'Message' })
      .fill('Market day is on Saturday at eight.');
    await expectSound(page, '3-correct');
    await button(page.getByRole('dialog'), 'Edit for everyone').click();
    await page.getByText(`${GROUPS} posts were edited.`).waitFor();
    await expectSound(page, '3-corrected');
  });

  test('on Thursday a manager finds a campaign of three months ago in two steps', async () => {
    const page = await enter('manager');
    const month = Temporal.Now.plainDateISO('Europe/Berlin').subtract({ days: SUPPER.ago }).toString().slice(0, 7);
    let steps = 0;
    await page.getByRole('combobox', { name: 'Month' }).selectOption(month);
    steps++;
    await page.getByRole('searchbox', { name: 'Search campaigns' }).fill('supper');
    steps++;
    const found = page.getByRole('list', { name: 'Campaigns', exact: true }).getByRole('link', { name: SUPPER.name });
    await expect.poll(() => found.count()).toBe(1);
    expect(steps).toBe(2);
    await expectSound(page, '4-found');
    // By a word alone, it is one step.
    await page.goto('/');
    await page.getByRole('searchbox', { name: 'Search campaigns' }).fill('harvest');
    await found.waitFor();
    await found.click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { name: SUPPER.name }).waitFor();
    await expectSound(page, '4-opened');
  });

  test('on Friday a manager reports', async () => {
    const page = await enter('manager', '/report');
    await page.getByText('This quarter').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[data-skeleton]').count()).toBe(0);
    await expectSound(page, '5-report');
    await page.goto('/unsent');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSound(page, '5-unsent');
  });
});
