/** The dashboard on a slow connection. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
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

/** The page waits 2.5 s for an answer. A machine that stands still for a good part of that is too slow to say anything about the connection. */
const STALLED_MS = 500;

/** Keeps what the bar says, however short it says it, and the longest time for which the page stood still. */
const OBSERVE = `globalThis.bars = []; globalThis.stalledMs = 0; new MutationObserver(() => {
  const said = /Offline since [^.]*/.exec(document.body?.innerText ?? '');
  if (said) globalThis.bars.push(said[0]);
}).observe(document, { childList: true, subtree: true, characterData: true });
let before = performance.now();
setInterval(() => {
  globalThis.stalledMs = Math.max(globalThis.stalledMs, performance.now() - before);
  before = performance.now();
}, 20)`;

/** Saves a draft with a large file over a slow connection. Returns what the page said of the connection. */
async function saveLargeDraft(userName: string): Promise<{ bars: string[]; stalledMs: number }> {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await page.addInitScript(OBSERVE);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  const service = monitorEventLoopDelay();
  service.enable();
  await enter(page, (await app.signUp(userName)).name);
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
  service.disable();
  const bars = await page.evaluate<string[]>('globalThis.bars');
  const stalledMs = Math.max(await page.evaluate<number>('globalThis.stalledMs'), service.max / 1e6);
  if (bars.length > 0) await visited.close();
  else await visited.end();
  return { bars, stalledMs };
}

test.skipIf(!browser)('does not take a slow connection for a lost one', async () => {
  for (let trial = 1; ; trial++) {
    const { bars, stalledMs } = await saveLargeDraft(`slow${trial}`);
    if (bars.length > 0 && stalledMs > STALLED_MS) continue;
    expect(bars).toEqual([]);
    return;
  }
});

test.skipIf(!browser)('loses no read on a connection whose answers take longer than a ping', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  await page.addInitScript(OBSERVE);
  await enter(page, (await app.signUp('slowest')).name);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 3_500,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  const isPing = (request: { url(): string }) => request.url().endsWith('/health/live');
  let pings = 0;
  page.on('request', (request) => (pings += isPing(request) ? 1 : 0));
  await page.getByRole('link', { name: 'Groups', exact: true }).click();
  await page.getByText('Village news').waitFor();
  await expect.poll(() => pings).toBeGreaterThanOrEqual(3);
  expect(await page.evaluate<string[]>('globalThis.bars')).toEqual([]);
  await visited.close();
});
