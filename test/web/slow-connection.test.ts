/** The dashboard on a slow connection. It measures wall-clock time, so a busy machine may fail it. */
import type { Browser } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { enter } from '../support/browser/dashboard-page.ts';
import { writeMessage } from '../support/browser/dashboard-user.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const browser = await launchBrowser();
const app = await startTestApp();
afterAll(() => app.stop());

/** Keeps what the bar says, however short it says it. */
const NOTE_BARS = `globalThis.bars = []; new MutationObserver(() => {
  const said = /Offline since [^.]*/.exec(document.body?.innerText ?? '');
  if (said) globalThis.bars.push(said[0]);
}).observe(document, { childList: true, subtree: true, characterData: true })`;

test.skipIf(!browser)('does not take a slow connection for a lost one', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await page.addInitScript(NOTE_BARS);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  await enter(page, (await app.signUp('slow')).name);
  await page.goto('/campaigns/new');
  await writeMessage(page, 'A large one');
  await page.setInputFiles('input[type=file]', {
    name: 'fair.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([PNG, Buffer.alloc(500_000)]),
  });
  await page.getByText('Saving draft…').waitFor();
  await page.getByText('Draft saved').waitFor();
  await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  expect(await page.evaluate('globalThis.bars')).toEqual([]);
  await visited.end();
});
