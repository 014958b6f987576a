/** Plans from a sheet in the dashboard: the dry run, what is wrong, the import, the same sheet again, and rows that are gone. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew } from '../support/browser/dashboard-page.ts';

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

  const dialog = () => page.getByRole('dialog');
  const year = Temporal.Now.plainDateISO().year + 1;
  const HEAD = 'Key;Date;Time;Groups;Text;Mine\n';
  const first = `1;${year}-03-08;09:00;Village news;The fair *opens* today.;\n`;
  async function choose(text: string, head = HEAD) {
    await dialog()
      .locator('input[type=file]')
      .or(page.locator('input[type=file]'))
      .first()
      .setInputFiles({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from(head + text) });
  }
  async function open() {
    await page.getByRole('button', { name: 'Import sheet', exact: true }).click();
    await dialog().getByLabel('Name of the sheet').fill('Spring');
  }
  /** Of the sandbox, which tells them in a moment. */
  async function waitForGroups() {
    await expect
      .poll(async () => (await askInBrowser<{ groups: object[] }>(page, 'venom/list-groups')).groups.length)
      .toBeGreaterThan(1);
  }
  async function runs() {
    const asked = { start_date: `${year}-03-01`, end_date: `${year}-03-31` };
    const found = await askInBrowser<{ runs: Array<{ due_at: string; status: string }> }>(
      page,
      'venom/list-runs',
      asked,
    );
    return found.runs.map(({ due_at, status }) => `${due_at.slice(0, 10)} ${status}`).toSorted();
  }

  test('shows what would change and what is wrong, and imports after that', async () => {
    await enterAsNew(page, 'fay');
    await waitForGroups();
    await page.goto('/calendar');
    await page.getByRole('button', { name: 'Import sheet', exact: true }).click();
    expect(await dialog().getByRole('button', { name: 'Choose file' }).isDisabled()).toBe(true);
    await dialog().getByLabel('Name of the sheet').fill('Spring');
    const rows = [
      first,
      `2;03/04/${year};09:00;Village news;Which day?;\n`,
      `3;${year}-03-10;09:00;Nobody;To whom?;\n`,
      `4;${year}-03-11;09:00;Chess friends;Once more;\n`,
    ];
    await choose(rows.join(''));
    await dialog().getByText('Refused: 2 · New: 2').waitFor();
    await dialog().getByText('groups: Nothing has this name: Nobody.').waitFor();
    await dialog().getByText('date: This could be', { exact: false }).waitFor();
    await dialog().getByText('The column mine is not read', { exact: false }).waitFor();
    expect(await findBarriersAnywhere(page, { within: '#layers' })).toEqual([]);
    expect(await runs()).toEqual([]);
    await dialog().getByLabel('Dates such as').selectOption('Month first');
    await dialog().getByText('Refused: 1 · New: 3').waitFor();
    await dialog().getByRole('button', { name: 'Import 3 rows' }).click();
    await page.getByText('3 rows imported').waitFor();
    await dialog().waitFor({ state: 'detached' });
    expect(await runs()).toEqual([`${year}-03-04 planned`, `${year}-03-08 planned`, `${year}-03-11 planned`]);

    await open();
    await choose(`${first}4;${year}-03-12;09:00;Chess friends;Once more;\n`);
    await dialog().getByText('Not in the sheet: 1 · Changed: 1 · Unchanged: 1').waitFor();
    await dialog().getByRole('button', { name: 'Import 1 row', exact: true }).waitFor();
    await dialog().getByLabel('Cancel 1 campaign whose row').check();
    await dialog().getByRole('button', { name: 'Import 2 rows' }).click();
    await page.getByText('2 rows imported').waitFor();
    await dialog().waitFor({ state: 'detached' });
    expect((await runs()).filter((run) => run.endsWith('planned'))).toEqual([
      `${year}-03-08 planned`,
      `${year}-03-12 planned`,
    ]);
  });

  test('shows an unchanged row with a warning, and words what is wrong with a whole row', async () => {
    await enterAsNew(page, 'hal');
    await waitForGroups();
    const rule = { all: [{ members: { over: 100_000 } }] };
    await askInBrowser(page, 'venom/save-group-list', { name: 'Nobody', rule });
    await page.goto('/calendar');
    const toNobody = () => choose(`1;${year}-03-08;09:00;Nobody;Hi\n`, 'Key;Date;Time;List;Text\n');
    await open();
    await toNobody();
    await dialog().getByRole('button', { name: 'Import 1 row', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await open();
    await toNobody();
    await dialog().getByText('Unchanged: 1').waitFor();
    await dialog().getByText('Nobody is in these lists at present', { exact: false }).waitFor();
    await askInBrowser(page, 'workspace/set-approval-rules', { approval: 'all' });
    await choose(`2;${year}-03-08;09:00;Village news;Hi;\n`);
    await dialog().getByText('In this workspace, this post needs the approval', { exact: false }).waitFor();
    expect(await runs()).toEqual([`${year}-03-08 planned`]);
  });

  test('says what is wrong with a file', async () => {
    await enterAsNew(page, 'gil');
    await page.goto('/calendar');
    await open();
    visited.forgive(refused('400'));
    await dialog()
      .locator('input[type=file]')
      .or(page.locator('input[type=file]'))
      .first()
      .setInputFiles({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from('Date;Time\n1;2\n') });
    await dialog().getByText('The first row has no column key.').waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: /^Import/ })
        .count(),
    ).toBe(0);
  });
});
