/** Posts with fields in the dashboard: chips in the editor, each group in the preview, and groups without a value. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';
import { lookEverywhere } from '../support/browser/looks.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
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
  const phone = (name: string) => page.getByRole('figure', { name: new RegExp(name) });
  const insertField = async (name: string) => {
    await page.getByRole('button', { name: 'Insert a field of the groups' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };

  test('inserts fields, steps through groups, and sends only once groups without a value are left out', async () => {
    await enterAsNew(page, 'flo');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const [first, second, third] = groups;
    if (!first || !second || !third) throw new Error('there are too few groups');
    await ask('venom/set-fields', { fields: [{ name: 'Host' }] });
    const values = [first, third].map(({ group_metadata_id }, index) => ({
      group_metadata_id,
      fields: { Host: ['Ana', 'Cy'][index] },
    }));
    await ask('venom/set-group-fields', { groups: values });
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Ask ');
    await insertField('Host');
    await page.locator('.field-chip').getByText('{{ Host }}').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Fill in fields for each group' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await phone(first.group_name).getByText('Ask Ana').waitFor();
    await page.getByText('Group 1 of 3').waitFor();
    await page.getByRole('button', { name: 'Next group without a value' }).click();
    await phone(second.group_name).waitFor();
    await page.getByText('The group has no value for Host.').waitFor();
    await page.getByRole('button', { name: 'Next group', exact: true }).click();
    await phone(third.group_name).getByText('Ask Cy').waitFor();
    await page.getByText('1 group has no value for a field of the post. Enter it').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Leave out groups without a value' }).check();
    await page.getByText('1 group has no value for a field of the post. Enter it').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send to 3 simulated groups now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    const campaign_id = page.url().slice(-36);
    expect(await ask('venom/get-campaign', { campaign_id, group_metadata_id: first.group_metadata_id })).toMatchObject({
      with_fields: true,
      on_missing_value: 'leave_out',
      in_group: { text: 'Ask Ana' },
    });
    await page.getByRole('button', { name: `What ${first.group_name} got` }).click();
    const dialog = page.getByRole('dialog', { name: 'What this group got' });
    await dialog.getByText('Ask Ana').waitFor();
    await dialog.getByRole('row', { name: 'Host Ana' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await lookEverywhere(page, 'group-post');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `What ${second.group_name} got` }).click();
    await dialog.getByText('It lacks a value, or its values did not fit: it got no post.').waitFor();
  });

  test('shows the file, the poll and the link preview that a group got', async () => {
    await enterAsNew(page, 'kim');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const { group_metadata_id: id, group_name: name } = groups[0] ?? { group_metadata_id: 0, group_name: '' };
    const url = 'https://example.org/';
    const uploaded = await page.context().request.post('/api/v1/media/upload', {
      headers: { 'x-campanile-dashboard': '1', 'content-type': 'application/octet-stream' },
      data: PNG,
    });
    const { media_id } = ((await uploaded.json()) as { data: { media_id: number } }).data;
    const posts = [
      { html: url, link_preview: { url, title: 'By {{ group }}', description: '' } },
      { html: 'Plan', image: Buffer.from('%PDF-1.4 plan %%EOF').toString('base64'), file_name: 'For {{ group }}.pdf' },
      { html: '', poll: { question: 'Who of {{ group }} comes?', options: ['All', 'Not {{ group }}'] } },
      { html: '', media: [{ media_id, caption: 'With {{ group }}' }] },
      { html: url, link_preview: { url, title: 'By {{ group }}', description: '' } },
    ];
    const shown = [
      [`By ${name}`],
      [`For ${name}`],
      [`Who of ${name} comes?`, `Not ${name}`],
      [`With ${name}`],
      [`By ${name}`],
    ];
    for (const [index, post] of posts.entries()) {
      const { campaign_id } = await ask<{ campaign_id: string }>('venom/add-campaign', {
        name: 'To one',
        group_metadata_ids: [id],
        with_fields: true,
        ...post,
      });
      await page.goto(`/campaigns/${campaign_id}`);
      await page.getByRole('button', { name: `What ${name} got` }).click();
      const dialog = page.getByRole('dialog', { name: 'What this group got' });
      for (const text of shown[index] ?? []) await dialog.getByText(text).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    }
  });

  test('keeps what a group got open while its post leaves', async () => {
    await enterAsNew(page, 'ida');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const [first, second] = groups;
    if (!first || !second) throw new Error('there are too few groups');
    await ask('venom/update-account', { daily_cap: 1 });
    const send = (html: string, { group_metadata_id }: typeof first) =>
      ask<{ campaign_id: string }>('venom/add-campaign', {
        name: html,
        html,
        with_fields: true,
        group_metadata_ids: [group_metadata_id],
      });
    await send('Takes the cap in {{ group }}', first);
    const { campaign_id } = await send('Waits in {{ group }}', second);
    await page.goto(`/campaigns/${campaign_id}`);
    await page.getByRole('button', { name: `What ${second.group_name} got` }).click();
    const dialog = page.getByRole('dialog', { name: 'What this group got' });
    await dialog.getByText(`Waits in ${second.group_name}`).waitFor();
    await ask('venom/update-account', { daily_cap: 'none' });
    await page.locator('main').getByText('Delivered and read over time').waitFor({ state: 'attached' });
    expect(await dialog.getByText(`Waits in ${second.group_name}`).isVisible()).toBe(true);
  });

  test('shows what a group got of the next run while it is open', async () => {
    await enterAsNew(page, 'ola');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
      'venom/list-groups',
    );
    const { group_metadata_id, group_name: name } = groups[0] ?? { group_metadata_id: 0, group_name: '' };
    await ask('venom/set-fields', { fields: [{ name: 'Host' }] });
    const host = (Host: string) => ask('venom/set-group-fields', { groups: [{ group_metadata_id, fields: { Host } }] });
    await host('Ana');
    const year = new Date().getUTCFullYear() + 1;
    await ask('venom/add-campaign-batch', {
      name: 'Twice',
      html: 'Ask {{ Host }}',
      with_fields: true,
      group_metadata_ids: [group_metadata_id],
      start_date: `${year}-06-01`,
      end_date: `${year}-06-02`,
      schedule_time: '09:00:00',
    });
    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns');
    const { campaign_id } = campaigns[0] ?? { campaign_id: '' };
    const { runs } = await ask<{ runs: Array<{ run_id: number }> }>('venom/get-campaign', { campaign_id });
    const run = (index: number) => ask('venom/send-run-now', { campaign_id, run_id: runs[index]?.run_id });
    await run(0);
    await page.goto(`/campaigns/${campaign_id}`);
    await page.getByRole('button', { name: `What ${name} got` }).click();
    const dialog = page.getByRole('dialog', { name: 'What this group got' });
    await dialog.getByText('Ask Ana').waitFor();
    await host('Bo');
    await run(1);
    await dialog.getByText('Ask Bo').waitFor();
    expect(await dialog.getByText('Ask Ana').count()).toBe(0);
  });

  test('fills an event in the preview of a group', async () => {
    await enterAsNew(page, 'eve');
    const { groups } = await ask<{ groups: Array<{ group_name: string }> }>('venom/list-groups');
    const name = groups[0]?.group_name ?? '';
    await page.goto('/campaigns/new');
    await page.getByText('Event', { exact: true }).click();
    await page.getByLabel('Name of the event').fill('Fair of {{ group }}');
    await page.getByLabel('Begins').fill(`${new Date().getUTCFullYear() + 1}-06-01T09:00`);
    await page.getByLabel('Place').fill('Hall of {{ group }}');
    await page.getByRole('checkbox', { name: 'Fill in fields for each group' }).check();
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await phone(name).getByText(`Fair of ${name}`).waitFor();
    await phone(name).getByText(`Hall of ${name}`).waitFor();
    expect(await phone(name).innerText()).not.toContain('{{');
  });

  test('fills polls in the preview of a group', async () => {
    await enterAsNew(page, 'pat');
    const { groups } = await ask<{ groups: Array<{ group_name: string }> }>('venom/list-groups');
    const [first] = groups;
    await page.goto('/campaigns/new');
    await page.getByText('Poll', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Question' }).fill('Who of {{ group }} comes?');
    await page.getByRole('textbox', { name: 'Answer 1' }).fill('Yes');
    await page.getByRole('textbox', { name: 'Answer 2' }).fill('Not {{ group }}');
    await page.getByRole('checkbox', { name: 'Fill in fields for each group' }).check();
    await page.getByRole('button', { name: 'Select all matching' }).click();
    const name = first?.group_name ?? '';
    await phone(name).getByText(`Who of ${name} comes?`).waitFor();
    await phone(name).getByText(`Not ${name}`).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('takes braces for text until the author says that they are fields', async () => {
    await enterAsNew(page, 'gil');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'In {{ group }}');
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await page.getByRole('figure').getByText('In {{ group }}').waitFor();
    const fill = page.getByRole('checkbox', { name: 'Fill in fields for each group' });
    await fill.check();
    await page.getByText('Group 1 of 3').waitFor();
    await page.getByRole('figure').getByText('In {{ group }}').waitFor({ state: 'detached' });
    await fill.uncheck();
    await page.getByText('Group 1 of 3').waitFor({ state: 'detached' });
    expect(await page.getByRole('figure').innerText()).toContain('In {{ group }}');
  });
});
