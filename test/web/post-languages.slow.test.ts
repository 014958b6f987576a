/** A post in several languages in the dashboard: a tab for each, previews of groups, and corrections. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

interface Group {
  group_metadata_id: number;
  group_name: string;
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  const open = async (size?: { width: number; height: number }) => {
    visited = await visit(browser as Browser, app.url, size ? { viewport: size } : {});
    ({ page } = visited);
  };
  beforeEach(() => open());
  afterEach(() => visited.end());

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const phone = (name: string) => page.getByRole('figure', { name: new RegExp(name) });
  const tab = (name: string) => page.getByRole('tab', { name });
  const addLanguage = async (typed: string, name: string) => {
    await page.getByRole('button', { name: 'Add a language' }).click();
    await page.getByRole('combobox', { name: 'Language' }).fill(typed);
    await page.getByRole('option', { name, exact: true }).click();
    // The editor of the language has the focus.
    await page.getByRole('textbox', { name: `Message: ${name}` }).waitFor();
  };

  /** Signs up somebody whose groups speak German, German and nothing that is known. */
  async function enterWithLanguages(name: string): Promise<Group[]> {
    await enterAsNew(page, name);
    const { groups } = await ask<{ groups: Group[] }>('venom/list-groups');
    await ask('venom/set-fields', { fields: [{ name: 'Language', kind: 'language' }] });
    const values = groups
      .slice(0, 2)
      .map(({ group_metadata_id }) => ({ group_metadata_id, fields: { Language: 'de-AT' } }));
    await ask('venom/set-group-fields', { groups: values });
    return groups;
  }

  test('writes a text for each language, shows it in its groups, sends and corrects it', async () => {
    const [first, second, third] = await enterWithLanguages('lin');
    if (!first || !second || !third) throw new Error('there are too few groups');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello all');
    await page.getByRole('button', { name: 'Select all matching' }).click();
    await addLanguage('ger', 'German');
    await page.getByText('Write the message in this language, or remove it: German.').waitFor();
    await page.keyboard.type('Hallo alle');
    await phone(first.group_name).getByText('Hallo alle').waitFor();
    await tab('German (2)').waitFor();
    await tab('Main text (1)').click();
    await page.getByText('1 group gets the main text.').waitFor();
    await phone(third.group_name).getByText('Hello all').waitFor();
    await page.getByRole('button', { name: 'Previous group' }).click();
    await phone(second.group_name).getByText('Hallo alle').waitFor();
    await addLanguage('fren', 'French');
    await page.keyboard.type('Bonjour');
    await page.getByText('No selected group gets this text: French.').first().waitFor();
    await page.getByText('No group gets the text in: French.').waitFor();
    await page.getByText('1 of 3 groups gets the main text: no text is in their language.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    // With the keyboard alone.
    await tab('French').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('textbox', { name: 'Message: German' }).waitFor();
    expect(
      await tab('German').evaluate(
        (element) =>
          element === (element as never as { ownerDocument: { activeElement: unknown } }).ownerDocument.activeElement,
      ),
    ).toBe(true);
    await tab('French').click();
    await page.getByRole('button', { name: 'Remove French' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove French' }).click();
    await tab('French').waitFor({ state: 'detached' });
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await tab('German (2)').click();
    await page.getByRole('textbox', { name: 'Message: German' }).getByText('Hallo alle').waitFor();
    await page.getByRole('button', { name: 'Send to 3 simulated groups now' }).click();
    await page.getByRole('dialog').getByText('1 of 3 groups gets the main text').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    const campaign_id = page.url().slice(-36);
    const inGroup = (group: Group) =>
      ask<object>('venom/get-campaign', { campaign_id, group_metadata_id: group.group_metadata_id });
    await expect
      .poll(() => inGroup(first))
      .toMatchObject({ translations: [{ language: 'de' }], in_group: { text: 'Hallo alle', language: 'de' } });
    await page.getByRole('button', { name: 'Edit sent posts…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('tab', { name: 'German' }).click();
    await dialog.getByRole('textbox', { name: 'Message: German' }).click();
    await page.keyboard.type(' zusammen');
    await dialog.getByRole('button', { name: 'Edit for everyone' }).click();
    await expect.poll(() => inGroup(first)).toMatchObject({ in_group: { text: expect.stringContaining('zusammen') } });
    expect(await inGroup(third)).toMatchObject({ in_group: { text: 'Hello all' } });
  });

  test('fits a phone, and says where languages come from if groups have none', async () => {
    await visited.end();
    await open({ width: 390, height: 844 });
    await enterAsNew(page, 'mo');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello all');
    await page.getByRole('button', { name: 'Add a language' }).click();
    await page.getByText('Your groups have no languages yet.').waitFor();
    await page.getByRole('combobox', { name: 'Language' }).fill('portug');
    await page.getByRole('option', { name: 'Portuguese', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message: Portuguese' }).waitFor();
    await page.keyboard.type('Olá');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    expect(await findBarriers(page)).toEqual([]);
  });
});
