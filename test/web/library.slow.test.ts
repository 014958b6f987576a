/** Files of the library in the dashboard: uploaded, put into a post, seen on the sandbox's phone, and deleted. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';
import { film } from '../support/inputs/films.ts';
import { PNG } from '../support/inputs/sample-files.ts';

/** Records a red canvas for a second, as an MP4 in base64. Its codec is one that every Chromium has. */
const RECORD_FILM = `(async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
  const context = canvas.getContext('2d');
  const paint = setInterval(() => { context.fillStyle = 'rgb(' + (200 + (Date.now() % 50)) + ',0,0)'; context.fillRect(0, 0, 320, 180); }, 40);
  const stream = canvas.captureStream(25);
  const record = async (ms) => {
    const recorder = new MediaRecorder(stream, { mimeType: 'video/mp4;codecs=vp9' });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.start();
    await new Promise((resolve) => setTimeout(resolve, ms));
    recorder.stop();
    await stopped;
    return new Blob(parts);
  };
  // On a slow machine the browser may not have encoded one picture in a second.
  let film = new Blob();
  for (let ms = 1_000; film.size < 1_000; ms *= 2) film = await record(ms);
  clearInterval(paint);
  const bytes = new Uint8Array(await film.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
})()`;

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

  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog', { name: 'Your files' });
  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const files = [
    { name: 'Poster.png', mimeType: 'image/png', buffer: PNG },
    { name: 'Trailer.mp4', mimeType: 'video/mp4', buffer: film({ bytes: 300_000 }) },
  ];

  async function compose(name: string): Promise<void> {
    await enterAsNew(page, name);
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Look at this');
    await press('Choose or upload files');
    await dialog().locator('input[type=file]').setInputFiles(files);
    for (const { name } of files) await dialog().getByRole('checkbox', { name, checked: true }).waitFor();
  }

  test('several files are uploaded, captioned, sent, and shown as members see them', async () => {
    await compose('lia');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Use 2 files' }).click();
    await page.getByRole('textbox', { name: 'Caption of Trailer.mp4' }).fill('The trailer');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await press('Send to 1 simulated group now');
    await page.getByRole('dialog').getByText('With 2 files.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('heading', { name: 'Look at this' }).waitFor();
    await page.getByText('The trailer').waitFor();
    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns');
    const sent = await ask<{ files: object[] }>('venom/get-campaign', { campaign_id: campaigns[0]?.campaign_id });
    expect(sent.files).toMatchObject([
      { mime: 'image/png', caption: null },
      { mime: 'video/mp4', caption: 'The trailer' },
    ]);
    await page.goto('/phone');
    await page.getByRole('figure').getByText('The trailer').waitFor();
    expect(await page.getByRole('figure').getByText('Look at this').count()).toBe(1);
  });

  test('a film that the browser can decode gets a still, in the library and in the preview', async () => {
    await enterAsNew(page, 'mia');
    const recorded = await page.evaluate<string>(RECORD_FILM);
    await page.goto('/campaigns/new');
    await press('Choose or upload files');
    const film = { name: 'Own.mp4', mimeType: 'video/mp4', buffer: Buffer.from(recorded, 'base64') };
    await dialog().locator('input[type=file]').setInputFiles([film]);
    await dialog().getByRole('checkbox', { name: 'Own.mp4', checked: true }).waitFor();
    await dialog().locator('img').waitFor();
    const { files: stored } = await ask<{ files: object[] }>('media/list-media', {});
    expect(stored).toMatchObject([{ name: 'Own.mp4', kind: 'video', has_still: true }]);
    await dialog().getByRole('button', { name: 'Use 1 file' }).click();
    await page.getByRole('complementary').locator('img').waitFor();
  });

  test('a draft keeps its files, and a file without a use can be deleted', async () => {
    await compose('leo');
    await dialog().getByRole('button', { name: 'Use 2 files' }).click();
    await press('Remove Poster.png');
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'Caption of Trailer' }).waitFor();
    await press('Choose or upload files');
    expect(await dialog().getByRole('button', { name: 'Delete Trailer.mp4' }).isDisabled()).toBe(true);
    await dialog().getByRole('button', { name: 'Delete Poster.png' }).click();
    await dialog().getByText('Poster.png').waitFor({ state: 'detached' });
  });
});
