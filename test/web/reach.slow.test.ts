/** Mentions of everybody, pins and replies in the dashboard, in a real browser. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeFailure, storeFailure } from '../../src/platform/errors/failures.ts';
import { startTestApp } from '../support/app.ts';
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
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const dialog = () => page.getByRole('dialog');
  const choose = async (label: string, option: string | RegExp) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option }).click();
  };
  async function sendFirst(): Promise<string> {
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const ids = groups.map((group) => group.group_metadata_id);
    const post = { name: 'Question', html: '<p>Who comes?</p>', group_metadata_ids: ids };
    return (await ask<{ campaign_id: string }>('venom/add-campaign', post)).campaign_id;
  }

  test('composes a post that mentions everybody, is pinned, and replies, and shows it', async () => {
    await enterAsNew(page, 'ada');
    const first = await sendFirst();
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Twelve so far');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByRole('checkbox', { name: 'Mention everyone (@all)' }).check();
    await page.getByText('4 members are notified').or(page.getByText('5 members are notified')).waitFor();
    await choose('Pin in the groups', '7 days');
    await choose('Reply to an earlier campaign', 'Question');
    const preview = page.getByRole('complementary', { name: 'What members see' });
    for (const shown of ['@all', 'Pinned', 'Who comes?']) await preview.getByText(shown).waitFor();
    const check = page.getByRole('region', { name: 'Check' });
    await check.getByText('Everyone is mentioned').waitFor();
    await check.getByText('Each post is pinned for 7 days').waitFor();
    await page.getByRole('button', { name: 'Send to 1 simulated group now' }).click();
    await dialog().getByRole('button', { name: 'Send now' }).click();
    await page.getByText('1 post is pinned.', { exact: false }).waitFor();
    const results = page.getByRole('region', { name: 'Pins, mentions and reply' });
    await results.getByText('1 post quotes it.', { exact: false }).waitFor();
    const failure = storeFailure(describeFailure('pin_by_admins'));
    await sql`update pins set failure = ${failure}::jsonb, pinned_until = null`.execute(app.database.db);
    await results.getByText('1 post could not be pinned or unpinned.').waitFor();
    await results.getByText('Only admins can pin there. Ask an admin of these groups to make you one.').waitFor();
    await results.getByRole('link', { name: 'Question' }).click();
    await page.getByRole('heading', { name: 'Question', level: 1 }).waitFor();
    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns');
    const sent = campaigns.find(({ campaign_id: id }) => id !== first);
    expect(await ask('venom/get-campaign', { campaign_id: sent?.campaign_id })).toMatchObject({
      mention_all: true,
      pin_for: '7d',
      reply_to: { campaign_id: first, run_id: null },
    });
  });

  test('keeps the choices in the draft', async () => {
    await enterAsNew(page, 'bea');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello');
    await page.getByRole('checkbox', { name: 'Mention everyone (@all)' }).check();
    await choose('Pin in the groups', '24 hours');
    await page.getByText('Saved').waitFor();
    await page.reload();
    expect(await page.getByRole('checkbox', { name: 'Mention everyone (@all)' }).isChecked()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Pin in the groups' }).inputValue()).toBe('24 hours');
  });

  test('pins and unpins the posts of a campaign after a confirmation', async () => {
    await enterAsNew(page, 'cal');
    const id = await sendFirst();
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Pin…' }).click();
    await dialog().getByText('30 days').click();
    await dialog().getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText(/^3 posts are pinned\. Pinned until .*\d{4}, /).waitFor();
    await page.getByRole('button', { name: 'Unpin…' }).click();
    await dialog().getByRole('button', { name: 'Unpin', exact: true }).click();
    await page.getByText('No post is pinned now.').waitFor();
    await page.getByText('3 posts were unpinned.').waitFor();
    expect(await page.getByRole('button', { name: 'Unpin…' }).count()).toBe(0);
  });
});
