/** Approval in the dashboard: an author asks, a manager sends back, the author mends, the manager approves. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { changeAsAsked, requestChanges, signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { until } from '../support/ledger.ts';
import { callIn, createTeam, type Team } from '../support/team.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  const visits: Visit[] = [];
  let team: Team;
  let teams = 0;
  beforeEach(async () => {
    teams += 1;
    team = await createTeam(app, `team${teams}`);
  });
  afterEach(async () => {
    for (const one of visits.splice(0)) await one.end();
  });

  /** A browser of its own, on a page of the team's workspace. */
  async function enter(who: keyof Team['members'], path: string): Promise<Page> {
    const visited = await visit(browser as Browser, app.url);
    visits.push(visited);
    const { page } = visited;
    await page.goto(`${path}?workspace=${team.workspaceId}`);
    await signInInBrowser(page, team.members[who].name);
    return page;
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const saveRules = async (page: Page) => {
    await page.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
  };
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  test('a post goes from its author to a manager, back, and out', async () => {
    const owner = await enter('owner', '/settings');
    await owner.getByRole('combobox', { name: 'Who needs approval' }).click();
    await owner.getByRole('option', { name: /^Authors/ }).click();
    await saveRules(owner);

    const author = await enter('author', '/campaigns/new');
    await writeMessage(author, 'We open at nine');
    await author.getByRole('checkbox', { name: 'Chess friends' }).check();
    // The number that members see, and not the name of the person who writes.
    await author.getByText('+49 (151) 1234567').waitFor();
    await press(author, 'Send a test…');
    await author.getByText('A test is a post, too, and needs approval here.').waitFor();
    await author.keyboard.press('Escape');
    await press(author, 'Ask for approval');
    await author.getByRole('dialog').getByText('It leaves as soon as it is approved.').waitFor();
    await confirm(author, 'Ask for approval');
    await author.waitForURL(/\/approvals\//);
    await author.getByText('0 of 1 approval').waitFor();
    await author.getByText('It leaves as soon as it is approved.').waitFor();
    await callIn(app, team.members.author, team.workspaceId, 'user/update_profile', {
      first_name: 'Anna',
      last_name: 'Weber',
    });

    const manager = await enter('manager', '/');
    await manager.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click();
    await manager.getByText('Chess friends').first().waitFor();
    await manager.getByText('Asked by Anna Weber').waitFor();
    await requestChanges(manager, 'Ten, not nine');
    await changeAsAsked(author, 'Ten, not nine', { from: 'We open at nine', to: 'We open at ten' });
    await press(author, 'Ask for approval');
    await confirm(author, 'Ask for approval');
    await author.waitForURL(/\/approvals\//);

    await manager.reload();
    // Of the text, and of the name, which its author has not chosen.
    await expect.poll(() => manager.locator('del').allInnerTexts()).toEqual(['nine', 'nine']);
    expect(await manager.locator('ins').allInnerTexts()).toEqual(['ten', 'ten']);
    await press(manager, 'Approve');
    await confirm(manager, 'Approve');
    await manager.waitForURL(/\/campaigns\/[0-9a-f-]{36}/);
    const { body } = await callIn<{ campaigns: unknown[] }>(
      app,
      team.members.owner,
      team.workspaceId,
      'venom/list-campaigns',
    );
    expect(body.data.campaigns).toHaveLength(1);
  });

  test('a manager asks, too, where the workspace says so, and cannot approve', async () => {
    const rules = { approval: 'all', over_groups: 0 };
    await callIn(app, team.members.owner, team.workspaceId, 'workspace/set-approval-rules', rules);
    const manager = await enter('manager', '/campaigns/new');
    await writeMessage(manager, 'Hello');
    await manager.getByRole('checkbox', { name: 'Chess friends' }).check();
    await press(manager, 'Ask for approval');
    await confirm(manager, 'Ask for approval');
    await manager.waitForURL(/\/approvals\//);
    await press(manager, 'Withdraw');
    await manager.getByText('Withdrawn', { exact: true }).waitFor();
    expect(await manager.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  });

  test('a manager who mends the post of an author cannot approve it, and reads why', async () => {
    const { owner, author, manager } = team.members;
    const as = (person: Person, path: string, body: object) =>
      callIn<{ groups: Array<{ group_metadata_id: number }> }>(app, person, team.workspaceId, path, body);
    await as(owner, 'workspace/set-approval-rules', { approval: 'authors' });
    const { groups } = (await as(owner, 'venom/list-groups', {})).body.data;
    const approval_id = randomUUID();
    const post = { name: 'Fair', is_schedule: false, group_metadata_ids: [groups[0]?.group_metadata_id], approval_id };
    for (const [person, html] of [
      [author, 'We open at nine'],
      [manager, 'We open at ten'],
      [author, 'We open at ten sharp'],
    ] as const)
      expect((await as(person, 'venom/request-approval', { ...post, html })).status).toBe(200);
    const page = await enter('manager', `/approvals/${approval_id}`);
    await page.getByText(`Written by ${author.name}, ${manager.name}`).waitFor();
    await page.getByText(`Waiting for ${owner.name}`, { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).waitFor();
  });

  test('the owner names a review group, and a 👍 there shows as given on the phone', async () => {
    const { owner, author, manager } = team.members;
    const page = await enter('owner', '/settings');
    await page.getByRole('combobox', { name: 'Who needs approval' }).click();
    await page.getByRole('option', { name: /^Authors/ }).click();
    const group = page.getByRole('combobox', { name: 'Review group' });
    await group.click();
    await group.fill('Chess');
    await page.getByRole('option', { name: 'Chess friends' }).click();
    await page.getByLabel(`WhatsApp number of ${manager.name}`).fill('+1 555 700-0002');
    await saveRules(page);
    await page.reload();
    await page.getByRole('combobox', { name: 'Review group' }).and(page.locator('[value="Chess friends"]')).waitFor();

    const say = async <Data>(who: Person, path: string, body: object) =>
      (await callIn<Data>(app, who, team.workspaceId, path, body)).body.data;
    const { rules } = await say<{ rules: { review_group_id: number } }>(owner, 'venom/list-approvals', {});
    const group_metadata_id = rules.review_group_id;
    const approval_id = randomUUID();
    const post = { name: 'Fair', html: 'Hello', group_metadata_ids: [group_metadata_id], is_schedule: false };
    await say(author, 'venom/request-approval', { approval_id, ...post });
    const { messages } = await until(
      () => say<{ messages: Array<{ message_id: string }> }>(owner, 'sandbox/list-messages', { group_metadata_id }),
      (found) => found.messages.length > 0,
    );
    const { rows } = await sql<{ accountId: AccountId }>`
      select account_id as "accountId" from accounts where workspace_id = ${team.workspaceId}`.execute(app.database.db);
    const [number, messageIds] = ['15557000002', messages.map(({ message_id: id }) => id)];
    const accountId = rows[0]?.accountId ?? (0 as AccountId);
    const at = new Date();
    await recordReceipts(app.database.db, [
      { kind: 'answered', accountId, messageIds, participant: number, number, remark: null, at },
    ]);
    const reader = await enter('manager', `/approvals/${approval_id}`);
    // A page that is loaded again before it is signed in stays signed out.
    await reader.getByRole('heading', { name: 'Fair', level: 1 }).waitFor();
    await until(
      () => say<{ state: string }>(manager, 'venom/get-approval', { approval_id }),
      ({ state }) => state === 'sending',
    );
    await reader.reload();
    await reader.getByText('in WhatsApp').waitFor();
    await reader.getByRole('link', { name: 'Open in review group' }).waitFor();
    expect(await reader.getByText('in WhatsApp').count()).toBe(1);
  });
});
