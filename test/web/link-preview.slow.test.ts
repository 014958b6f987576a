/** Link previews in the dashboard: fetched for the first link, rewritten, removed, and as members see them. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { sendToAll, writeMessage } from '../support/browser/dashboard-user.ts';
import { drawPlain } from '../support/inputs/pictures.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { previewsOfLoopback } from '../support/link-previews.ts';
import { pageWithCard, startWebSite } from '../support/servers/web-site.ts';

const browser = await launchBrowser();
const site = await startWebSite();
site.serve('/fair.png', { type: 'image/png', body: await drawPlain(400, 200, 'png') });
const fair = pageWithCard({ title: 'Spring fair', description: 'At the old mill', image: '/fair.png' });
site.serve('/fair', { type: 'text/html', body: fair });
const app = await startTestApp({ sandboxSpeed: 200, ...previewsOfLoopback() });
afterAll(async () => {
  await app.stop();
  await site.close();
});
const link = `${site.url}/fair`;

interface Stored {
  link_preview: { title: string; picture: object | null } | null;
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const phone = () => page.getByRole('complementary').getByRole('figure');
  const title = () => page.getByLabel('Title of the link preview');
  const cardOf = async (campaign_id: string) =>
    (await askInBrowser<Stored>(page, 'venom/get-campaign', { campaign_id })).link_preview;

  test('fetches the card of a link, lets the author change it, and members see the result', async () => {
    await enterAsNew(page, 'ada');
    await page.goto('/campaigns/new');
    await writeMessage(page, `See ${link} today`);
    await phone().getByText('Spring fair').waitFor();
    await phone().getByText('At the old mill').waitFor();
    await phone().getByText('127.0.0.1', { exact: true }).waitFor();
    expect(await phone().locator('img').count()).toBe(1);
    expect(site.requested.filter((path) => path === '/fair')).toHaveLength(1);
    expect(await findBarriers(page)).toEqual([]);
    await title().fill('Our fair');
    await phone().getByText('Our fair').waitFor();
    const chosen = { name: 'own.png', mimeType: 'image/png', buffer: PNG };
    const before = await phone().locator('img').getAttribute('src');
    await page.locator('input[type=file][accept="image/*"]').setInputFiles(chosen);
    await page.waitForFunction(
      (old) =>
        (
          globalThis as never as { document: { querySelector(of: string): { src: string } | null } }
        ).document.querySelector('aside figure img')?.src !== old,
      before,
    );
    const id = await sendToAll(page);
    expect(await cardOf(id)).toMatchObject({ title: 'Our fair', picture: { mime: 'image/jpeg' } });
    await page.getByRole('figure').getByText('Our fair').waitFor();
    await page.goto('/phone');
    await page.getByRole('figure').getByText('Our fair').first().waitFor();
  });

  test('removes a card and brings it back, and says when a site does not answer', async () => {
    await enterAsNew(page, 'bea');
    await page.goto('/campaigns/new');
    await writeMessage(page, `See ${link}`);
    await title().waitFor();
    await page.getByRole('button', { name: 'Remove the preview' }).click();
    await page.getByText('Members see the link without a preview.').waitFor();
    expect(await phone().getByText('Spring fair').count()).toBe(0);
    await page.reload();
    await page.getByText('Members see the link without a preview.').waitFor();
    await page.getByRole('button', { name: 'Show a preview' }).click();
    await phone().getByText('Spring fair').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('At http://127.0.0.1:9/ soon');
    await page.getByText('The site did not answer in time.').waitFor();
    await page.getByRole('button', { name: 'Write one yourself' }).click();
    await title().fill('Mine');
    await phone().getByText('Mine').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('No link');
    await title().waitFor({ state: 'detached' });
    const id = await sendToAll(page);
    expect(await cardOf(id)).toBeNull();
  });

  test('a correction changes the card of sent posts', async () => {
    await enterAsNew(page, 'eve');
    await page.goto('/campaigns/new');
    await writeMessage(page, `See ${link}`);
    await phone().getByText('Spring fair').waitFor();
    const id = await sendToAll(page);
    await page.getByText('Done', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Edit sent posts…' }).click();
    await title().fill('Autumn fair');
    await page.getByRole('dialog').getByText('Autumn fair').first().waitFor();
    await page.getByRole('button', { name: 'Edit for everyone' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await cardOf(id)).toMatchObject({ title: 'Autumn fair', picture: { mime: 'image/jpeg' } });
  });
});
