/** Templates in the dashboard: saved in the composer and from a campaign, begun with, replaced, and deleted. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, untilCompleted } from '../support/app.ts';
import { launchBrowser, refused, type Visit, visit } from '../support/browser/browser.ts';
import { askInBrowser, enter, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { moreOf, writeMessage } from '../support/browser/dashboard-user.ts';
import { createTeam, inWorkspace } from '../support/team.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface Templates {
  templates: Array<{
    template_id: string;
    name: string;
    version: number;
    html_start: string;
    uses: { campaigns: number };
  }>;
}

const listTemplates = async (page: Page) => (await askInBrowser<Templates>(page, 'venom/list-templates')).templates;

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const menu = async (item: string | RegExp) => {
    await page.getByRole('button', { name: 'Templates', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const dialog = () => page.getByRole('dialog', { name: 'Save as template' });

  test('saves what is written, begins with it, and replaces it', async () => {
    await enterAsNew(page, 'ann');
    await page.goto('/templates');
    await page.getByText('No templates yet').waitFor();
    await page.locator('[data-sample="templates"]').waitFor();
    await page.goto('/campaigns/new');
    await writeMessage(page, 'We open at nine');
    await page.getByText('Draft saved').waitFor();
    await menu('Save as template');
    await dialog().getByRole('textbox', { name: 'Name of the template' }).fill('Fair');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('Fair is saved as a template.').waitFor();
    expect(await listTemplates(page)).toMatchObject([
      { name: 'Fair', version: 1, html_start: '<p>We open at nine</p>' },
    ]);

    await page.goto('/campaigns/new');
    await menu('Fair');
    await page.getByRole('textbox', { name: 'Message' }).getByText('We open at nine').waitFor();
    await writeMessage(page, 'Now ');
    await page.getByText('Draft saved').waitFor();
    await menu('Save as template');
    await dialog().getByRole('combobox', { name: 'Save as' }).click();
    await page.getByRole('option', { name: 'Replace Fair' }).click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    const [fair, ...others] = await listTemplates(page);
    expect(others).toEqual([]);
    expect(fair).toMatchObject({ name: 'Fair', version: 2, html_start: expect.stringContaining('Now') });
  });

  test('tells the second of two windows that replace the same version', async () => {
    await enterAsNew(page, 'ben');
    const ben = await app.signIn('ben');
    const template = { template_id: crypto.randomUUID(), name: 'Fair', html: '<p>We open</p>' };
    await ben.call('venom/save-template', { ...template, version: 0 });
    await page.goto('/campaigns/new');
    await menu('Fair');
    await page.getByRole('textbox', { name: 'Message' }).getByText('We open').waitFor();
    await menu('Save as template');
    await dialog().getByRole('combobox', { name: 'Save as' }).click();
    await page.getByRole('option', { name: 'Replace Fair' }).click();
    await expect.poll(() => dialog().getByRole('combobox', { name: 'Save as' }).inputValue()).toBe('Replace Fair');
    await ben.call('venom/save-template', { ...template, version: 1, html: '<p>We close</p>' });
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('was changed by someone else or in another window').waitFor();
    expect(await listTemplates(page)).toMatchObject([{ version: 2, html_start: '<p>We close</p>' }]);
    visited.forgive(refused('409'));
  });

  test('saves a campaign that was sent, with its lists, and shows how posts of it were read', async () => {
    await enterAsNew(page, 'cat');
    const cat = await app.signIn('cat');
    const ids = await groupsOf(cat);
    await cat.call('venom/save-group-list', { name: 'Clubs', group_metadata_ids: ids });
    const post = { name: 'Weekly', html: '<p>This week</p>', group_metadata_ids: ids };
    const { campaign_id } = (await cat.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
    await untilCompleted(cat.call, campaign_id);
    await page.goto(`/campaigns/${campaign_id}`);
    await moreOf(page, 'Save as template');
    await dialog().getByRole('combobox', { name: 'Group lists' }).click();
    await page.getByRole('option', { name: 'Clubs' }).click();
    await dialog().getByRole('textbox', { name: 'Name of the template' }).click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    const [saved] = await listTemplates(page);
    const whole = await cat.call<{ templates: Array<{ group_list_ids: number[]; content: object }> }>(
      'venom/list-templates',
      { template_id: saved?.template_id },
    );
    const [template] = whole.body.data.templates;
    expect(template?.group_list_ids).toHaveLength(1);
    const lists = { group_metadata_ids: [], group_list_ids: template?.group_list_ids };
    expect(template?.content).toMatchObject({ html: '<p>This week</p>', ...lists });
    const again = await cat.call<{ campaign_id: string }>('venom/add-campaign', template?.content);
    await untilCompleted(cat.call, again.body.data.campaign_id);

    await page.goto('/');
    await page.getByRole('link', { name: 'Templates' }).first().click();
    const row = page.getByRole('listitem').filter({ hasText: 'Weekly' });
    await row.getByText('1 campaign').waitFor();
    await row.getByText('Last sent').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await row.getByRole('button', { name: 'Use template' }).click();
    await page.getByRole('textbox', { name: 'Message' }).getByText('This week').waitFor();
    expect(page.url()).toMatch(/\?draft=/);

    await page.goto('/templates');
    await row.getByRole('button', { name: 'Delete template Weekly' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
    await page.getByText('No templates yet').waitFor();
  });

  test('shows an author what they may change, and an analyst nothing to begin with', async () => {
    const team = await createTeam(app, 'parish');
    const save = (role: 'manager' | 'author', name: string) =>
      inWorkspace(
        app,
        team.members[role],
        team.workspaceId,
      )('venom/save-template', {
        template_id: crypto.randomUUID(),
        version: 0,
        name,
        html: name,
      });
    await save('manager', 'Of the manager');
    await save('author', 'Of the author');
    for (const [role, buttons] of [
      ['author', ['Use template', 'Delete template Of the author', 'Use template']],
      ['analyst', []],
    ] as const) {
      await inWorkspace(app, team.members[role], team.workspaceId)('workspace/open-workspace', {});
      const own = await visit(browser as Browser, app.url);
      await enter(own.page, `parish-${role}`);
      await own.page.goto('/templates');
      const list = own.page.getByRole('list', { name: 'Templates' });
      await list.getByText('Of the manager').first().waitFor();
      const found = await list.getByRole('button').all();
      const names = await Promise.all(
        found.map(async (one) => (await one.getAttribute('aria-label')) ?? one.innerText()),
      );
      expect(names, role).toEqual(buttons);
      await own.end();
    }
  });
});
