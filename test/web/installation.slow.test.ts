/** The page of the installation, for administrators. */
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit } from '../support/browser/browser.ts';
import { enter, findBarriers } from '../support/browser/dashboard-page.ts';

const browser = await launchBrowser();
const app = await startTestApp();
// The first of all is the administrator.
const root = await app.signUp('root');
const other = await app.signUp('other');
afterAll(() => app.stop());

test.skipIf(!browser)('lists findings with errors first and advice, and checks again on request', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await enter(page, root.name);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'root', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Installation' }).click();
  await page.getByRole('heading', { name: 'Installation', level: 1 }).waitFor();
  const wrong = page.getByRole('region', { name: 'Something is wrong' });
  await wrong.getByText('fsync or full_page_writes is off').waitFor();
  await wrong.getByText('Turn both on in postgresql.conf, and reload the server.').waitFor();
  await page
    .getByRole('region', { name: 'Needs attention' })
    .getByText('No automatic backups are configured')
    .waitFor();
  await page.getByRole('region', { name: 'All good' }).getByText('The ledger is not held').waitFor();
  const folder = process.env['INSTALLATION_PICTURES'];
  for (const [look, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme: look });
    await page.locator(`html[data-mantine-color-scheme=${look}]`).waitFor();
    await page.setViewportSize({ width, height: 900 });
    expect(await findBarriers(page)).toEqual([]);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${look}-${width}.png`, fullPage: true });
  }
  await sql`update ledger set held_since = campanile_now(), held_reason = 'a test'`.execute(app.database.db);
  // It is looked once in five seconds.
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Run checks again' }).click();
      return wrong.getByText('and nothing is sent: a test').count();
    })
    .toBe(1);
  await visited.end();
});

test.skipIf(!browser)('is for administrators only', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await enter(page, other.name);
  await page.goto('/installation');
  await page.getByText('Only administrators can do this.').waitFor();
  visited.forgive(refused('403'));
  await page.getByRole('button', { name: 'other', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Installation' }).count()).toBe(0);
  await visited.end();
});
