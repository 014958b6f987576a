/** The sheet of groups and fields in the dashboard: by keyboard, by paste, and from files. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { readCells } from '../../web/groups/fields/read-cells.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

test.each([
  ['a', [['a']]],
  [
    'a\tb\r\nc\td\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['"a\nb ""c"""\t\n', [['a\nb "c"', '']]],
  ['\t', [['', '']]],
  ['a\n\nb', [['a'], [''], ['b']]],
])('reads copied cells %j', (copied, rows) => {
  expect(readCells(copied)).toEqual(rows);
});

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const cell = (row: string, at: number) =>
    page
      .getByRole('row', { name: new RegExp(row) })
      .getByRole('gridcell')
      .nth(at);
  async function valuesOf() {
    const { groups } = await ask<{ groups: Array<{ group_name: string; fields: object }> }>('venom/list-groups', {
      with_fields: true,
    });
    return Object.fromEntries(groups.map(({ group_name: name, fields }) => [name, fields]));
  }
  const paste = (text: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }`);

  test('adds fields, fills cells by keyboard and by paste, undoes, and saves', async () => {
    await enterAsNew(page, 'fay');
    await page.goto('/groups');
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    await page.getByText('No fields yet').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press('Add field');
    await dialog().getByLabel('Name').fill('City');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await cell('Chess friends', 0).waitFor();
    await ask('venom/set-fields', { fields: [{ name: 'Size', kind: 'number' }] });
    await page.reload();

    await cell('Chess friends', 0).click();
    await page.keyboard.type('Pune');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Goa');
    await page.keyboard.press('Tab');
    await page.keyboard.type('many');
    await page.keyboard.press('Enter');
    expect(await findBarriers(page)).toEqual([]);
    visited.forgive(refused('400'));
    await press('Save');
    await page.getByText(/many.*Enter a number, such as 12 or 1\.5\./).waitFor();
    expect(await cell('Running club', 1).getAttribute('aria-invalid')).toBe('true');

    await cell('Running club', 1).click();
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+z');
    expect(await cell('Running club', 1).textContent()).toBe('many');
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
    await paste('"A ""b"""\t7\r\nbeyond\t8\r\n');
    await press('Save');
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    expect(await valuesOf()).toEqual({
      'Chess friends': { City: 'Pune' },
      'Running club': { City: 'Goa', Size: '12' },
      'Village news': { City: 'A "b"', Size: '7' },
    });
  });

  test('imports a sheet after a dry run, renames a field, and removes it with its values', async () => {
    await enterAsNew(page, 'gil');
    await ask('venom/set-fields', { fields: [{ name: 'City' }] });
    await page.goto('/groups/fields');
    await press('Import sheet');
    await dialog()
      .locator('input[type=file]')
      .or(page.locator('input[type=file]'))
      .first()
      .setInputFiles({
        name: 'groups.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Group;City;Notes\nCHESS friends;Pune;x\nNobody;Goa;y\n'),
      });
    await dialog().getByText('New: 1 · Changed: 0 · Removed: 0 · Unchanged: 0').waitFor();
    await dialog().getByText('Row 3, Nobody: You have no such group.').waitFor();
    await dialog().getByText('Notes').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await valuesOf()).toMatchObject({ 'Chess friends': {} });
    await dialog().getByRole('button', { name: 'Import 1 value' }).click();
    await page.getByText('1 value imported').waitFor();
    expect(await cell('Chess friends', 0).textContent()).toBe('Pune');

    await ask('venom/save-group-list', { name: 'Puneri', rule: { all: [{ field: 'City', is: 'Pune' }] } });
    await press('City: actions');
    await page.getByRole('menuitem', { name: 'Rename or change the kind' }).click();
    await dialog().getByLabel('Name').fill('Town');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Town: actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove field' }).click();
    await dialog().getByText('The value of 1 group is lost.').waitFor();
    visited.forgive(refused('409'));
    await dialog().getByRole('button', { name: 'Remove field' }).click();
    await dialog().getByText('1 list chooses its groups by Town. In use by: Puneri').waitFor();
    expect(await valuesOf()).toMatchObject({ 'Chess friends': { Town: 'Pune' } });
    await dialog().getByRole('button', { name: 'Remove anyway' }).click();
    await page.getByText('No fields yet').waitFor();
  });
});
