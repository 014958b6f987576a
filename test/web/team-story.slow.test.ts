/** One post of a team: sent back, mended, approved on the phone, and sent to every group although a number is banned midway. */
import { sql } from 'kysely';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { changeAsAsked, requestChanges, signInInBrowser, writeMessage } from '../support/browser/dashboard-user.ts';
import { banAccount } from '../support/several-accounts.ts';
import { callIn, createTeam, type Team } from '../support/team.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
/** It passes only when the test advances the clock, so the ban falls between the second post and the third. */
const GAP_MS = 30 * 60_000;
const app = await startTestApp({ sandboxSpeed: 0, sandboxGap: { minMs: GAP_MS, maxMs: GAP_MS } });
const { db, clock } = app.database;
afterAll(() => app.stop());

/** The figures are of one day: no midnight falls into the test. */
const DAY = Temporal.Now.plainDateISO('UTC').add({ days: 1 });
const REVIEW = 'Editors';
const GROUPS = ['Book club', 'Chess friends', 'Choir', REVIEW, 'Running club', 'Village news'];
const NUMBER = '15557000002';

interface Messages {
  messages: Array<{ message_id: string; text: string }>;
}
interface Analytics {
  totals: { sent: number };
  groups: Array<{ group_name: string; deliveries: number; sent: number }>;
}

describe.skipIf(!browser)('in a browser', () => {
  let team: Team;
  let main: AccountId;
  let backup: number;
  let groupIds: Map<string, number>;

  async function ask<Data>(path: string, body: object = {}): Promise<Data> {
    const answer = await callIn<Data>(app, team.members.owner, team.workspaceId, path, body);
    expect(answer.body, path).toMatchObject({ code: 200 });
    return answer.body.data;
  }

  beforeAll(async () => {
    await clock.set(`${DAY}T10:00:00Z`);
    team = await createTeam(app, 'news');
    ({ account_id: main } = await ask<{ account_id: AccountId }>('venom/update-account', { name: 'Main line' }));
    ({ account_id: backup } = await ask<{ account_id: AccountId }>('venom/add-account', { name: 'Backup' }));
    for (const group_name of ['Book club', 'Choir', REVIEW])
      await ask('venom/create-group', { group_name, participants: ['+442079460200'] });
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    groupIds = new Map(groups.map((group) => [group.group_name, group.group_metadata_id]));
    await ask('workspace/update-workspace', { failover_minutes: 5 });
    await ask('workspace/set-approval-rules', {
      approval: 'authors',
      review_group_id: groupIds.get(REVIEW),
      phone_approvers: [{ user_id: team.members.manager.userId, whatsapp_number: NUMBER }],
    });
  });

  async function enter(who: keyof Team['members'], path: string): Promise<Page> {
    const visited = await visit(browser as Browser, app.url);
    onTestFinished(() => visited.end());
    await visited.page.goto(`${path}?workspace=${team.workspaceId}`);
    await signInInBrowser(visited.page, team.members[who].name);
    return visited.page;
  }
  const press = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true }).click();
  async function askForApproval(author: Page): Promise<string> {
    await press(author, 'Ask for approval');
    await press(author.getByRole('dialog'), 'Ask for approval');
    await author.waitForURL(/\/approvals\/[0-9a-f-]{36}/);
    return new URL(author.url()).pathname.slice(-36);
  }

  /** What members see in a group, whichever account posted it. */
  const messagesIn = async (name: string) =>
    (await ask<Messages>('sandbox/list-messages', { group_metadata_id: groupIds.get(name) })).messages;
  const analyticsOf = (campaign_id: string) =>
    ask<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id, with_accounts: true });
  async function waitForSent(id: string, count: number): Promise<void> {
    await expect.poll(async () => (await analyticsOf(id)).totals.sent).toBe(count);
  }
  /** A gap begins when a turn ends. */
  async function letGapPass(): Promise<void> {
    const inHand = sql`select from lanes where in_hand_run_id is not null`;
    await expect.poll(async () => (await inHand.execute(db)).rows).toEqual([]);
    await clock.advance(GAP_MS);
  }

  test('a post that was mended and approved on the phone reaches every group once although a number is banned midway', async () => {
    const author = await enter('author', '/campaigns/new');
    await writeMessage(author, 'We open at nine');
    await press(author, 'Select all matching');
    // Before, the post lacks groups, and the button says so.
    await author.getByText(/^6 groups · /).waitFor();
    await askForApproval(author);
    await expect.poll(() => messagesIn(REVIEW)).toHaveLength(1);

    const manager = await enter('manager', '/');
    await manager.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click();
    await requestChanges(manager, 'Ten, not nine');
    await changeAsAsked(author, 'Ten, not nine', { from: 'We open at nine', to: 'We open at ten' });
    const approval_id = await askForApproval(author);

    await letGapPass();
    await expect.poll(() => messagesIn(REVIEW)).toHaveLength(2);
    const messageIds = (await messagesIn(REVIEW)).slice(1).map((post) => post.message_id);
    const like = { kind: 'answered', accountId: main, messageIds, participant: NUMBER, number: NUMBER } as const;
    await recordReceipts(db, [{ ...like, remark: null, at: await clock.now() }]);
    const readState = async () => (await ask<{ state: string }>('venom/get-approval', { approval_id })).state;
    await expect.poll(readState).toBe('sending');
    await author.reload();
    await author.getByText('in WhatsApp').waitFor();
    await author.getByRole('link', { name: 'Open the campaign' }).click();
    await author.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    const id = author.url().slice(-36);

    for (const count of [1, 2]) {
      await letGapPass();
      await waitForSent(id, count);
    }
    await author.getByText('2 sent · 0 failed · 4 waiting').waitFor();
    await banAccount(db, main);
    await clock.advance({ minutes: 6 });
    await waitForSent(id, 3);
    for (const count of [4, 5, 6]) {
      await letGapPass();
      await waitForSent(id, count);
    }

    await author.getByText('Done', { exact: true }).first().waitFor();
    const { groups, ...result } = await analyticsOf(id);
    expect(result).toMatchObject({
      campaign: { name: 'We open at ten' },
      totals: { groups: 6, deliveries: 6, sent: 6, failed: 0, queued: 0, cancelled: 0 },
      accounts: [
        { account_id: main, deliveries: 2, sent: 2 },
        { account_id: backup, deliveries: 4, sent: 4 },
      ],
    });
    const sent = groups.map((group) => [group.group_name, group.deliveries, group.sent]);
    expect(sent.toSorted()).toEqual(GROUPS.map((name) => [name, 1, 1]));
    const seen = (await Promise.all(GROUPS.map(messagesIn))).map((all) => all.map(({ text }) => text));
    for (const texts of seen) expect(texts.filter((text) => text === 'We open at ten')).toHaveLength(1);

    await manager.goto(`/campaigns/${id}`);
    const shares = manager.getByRole('list', { name: 'Accounts' });
    await expect
      .poll(() => shares.innerText())
      .toMatch(/Main line\s+2 sent · 0 failed · 0 waiting\s+Backup\s+4 sent · 0 failed · 0 waiting/);
    for (const name of GROUPS) await manager.getByRole('row', { name: new RegExp(`^${name} Sent`) }).waitFor();
    await manager.goto(`/report?span=own&from=${DAY}&to=${DAY}&campaign=${id}`);
    const figures = manager.getByLabel('Figures of the period');
    await expect.poll(() => figures.innerText()).toMatch(/Posts sent\n6\n[^]*Failed\n0/);
    await manager.goto('/account');
    const cards = manager.getByRole('list', { name: 'Accounts' });
    // With the two posts in the review group.
    await expect.poll(() => cards.innerText()).toMatch(/Main line\n[^]*Sent today\n4\n[^]*Backup\n[^]*Sent today\n4\n/);
    await manager.getByRole('button', { name: /^Notices/ }).click();
    const notices = manager.getByRole('dialog', { name: /^Notices/ });
    await notices.getByText('We open at ten has ended: all posts were sent.').waitFor();
    await notices.getByText('4 posts of Main line are sent by other accounts, because it cannot send.').waitFor();
    // The other account goes on.
    await notices.getByText('It sends nothing until you link it again. Account: Main line.').waitFor();
  });
});
