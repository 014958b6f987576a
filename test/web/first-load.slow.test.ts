/** The first load on a slow connection. It counts bytes and round trips, not time. */
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';

const browser = await launchBrowser();
const app = await startTestApp();
afterAll(() => app.stop());

/** A line of 400 ms and 50 kB/s. */
const WAY_MS = 400;
const BYTES_A_MS = 50;
const HEADERS_BYTES = 300;
const LIMIT_MS = 4_000;
/** The page; what it names; and what its first script asks for: the words, and who is signed in. */
const WAYS = 3;

describe.skipIf(!browser)('in a browser', () => {
  test('shows the sign-in form within four seconds on a slow connection', async () => {
    const html = await (await fetch(`${app.url}/sign-in`, { headers: { accept: 'text/html' } })).text();
    const named = new Set(Array.from(html.matchAll(/assets\/[\w.-]+\.(?:js|css)/g), ([path]) => path));
    const isNeeded = (url: string) =>
      named.has(url.replace(/^.*\/(?=assets\/)/, '')) || /\/assets\/en-[\w-]+\.js$/.test(url);
    const { page, end } = await visit(browser as Browser, app.url);
    // Nothing else that is asked for is ever answered.
    await page.route('**/assets/**', (route) => (isNeeded(route.request().url()) ? route.continue() : undefined));
    await page.goto('/sign-in', { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const came: Array<{ name: string; bytes: number }> = await page.evaluate(
      `performance.getEntriesByType('resource').map((one) => ({ name: one.name, bytes: one.encodedBodySize }))`,
    );
    const needed = came.filter(({ name }) => isNeeded(name) || name.endsWith('/session'));
    expect(needed.length).toBeGreaterThan(named.size);
    const bytes = needed.reduce((sum, one) => sum + one.bytes + HEADERS_BYTES, 0);
    expect(WAYS * WAY_MS + bytes / BYTES_A_MS).toBeLessThan(LIMIT_MS);
    await end();
  });
});
