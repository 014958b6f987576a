/** How the dashboard's files are served (docs/explanation/decisions/0019). */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';

const app = await startTestApp();
afterAll(() => app.stop());
const page = await (await fetch(app.url)).text();
/** The first preloaded module, which is large. */
const script = /<link rel="modulepreload" href="([^"]+)"/.exec(page)?.[1] ?? '';

/** Returns the bytes on the wire: `fetch` would decompress them. */
async function getPacked(path: string, encoding: string) {
  const sent = httpRequest(`${app.url}${path}`, { headers: { 'accept-encoding': encoding } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

test.each([
  '/',
  '/sign-up',
  '/goodbye',
  '/campaigns/new',
  '/campaigns/5f0c2c5e-0f3c-4d6b-9a55-6c1d1c3a7f10',
  '/calendar',
  '/groups?search=x',
])('%s serves the dashboard with Cache-Control: no-store', async (path) => {
  const response = await fetch(`${app.url}${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  expect(await response.text()).toContain('<div id="root">');
});

test('the CSP of every page allows only its own scripts and styles, and styles with a nonce that is new in each response', async () => {
  const nonces = new Set<string>();
  for (let turn = 0; turn < 3; turn++) {
    const response = await fetch(app.url);
    const policy = response.headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]));
    const [, nonce = ''] = /nonce-([\w-]{22})'/.exec(policy) ?? [];
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'"]);
    expect(directives.get('style-src')).toEqual(["'self'", `'nonce-${nonce}'`]);
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).toContain(`<meta name="style-nonce" content="${nonce}" />`);
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(3);
});

test.each(['/nowhere', '/campaigns', '/groups/none/at/all'])(
  '%s is answered 404: a page for a browser, an envelope for a program',
  async (path) => {
    const shown = await fetch(`${app.url}${path}`, {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect(shown.status).toBe(404);
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(shown.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await shown.text()).toContain('<div id="root">');
    const told = await fetch(`${app.url}${path}`);
    expect(told.status).toBe(404);
    expect(await told.json()).toMatchObject({ error: true, code: 404 });
  },
);

test.each([
  ['/api/v1/nowhere', 404],
  ['/api', 404],
  ['/assets/nothing.js', 404],
  ['/api/v1/venom/add-campaign', 405],
])('%s is answered with an envelope even to a browser', async (path, status) => {
  const response = await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/json');
});

test('the page loads nothing from another host and has no inline script or style', () => {
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page).not.toMatch(/<script(?![^>]* src=)/);
  expect(page).not.toMatch(/<style| style=/);
});

test('serves assets as immutable, compressed with brotli or gzip as the browser accepts', async () => {
  const plain = Buffer.from(
    await (await fetch(`${app.url}${script}`, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer(),
  );
  const brotli = await getPacked(script, 'br, gzip');
  const gzip = await getPacked(script, 'gzip');
  expect(brotli.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(brotliDecompressSync(brotli.body).equals(plain)).toBe(true);
  expect(gunzipSync(gzip.body).equals(plain)).toBe(true);
  expect(brotli.body.length).toBeLessThan(plain.length / 3);
});

test.each([
  '/assets/none.js',
  '/assets/../index.html',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e/made-of',
  '/nowhere',
])('%s is answered 404 in the envelope', async (path) => {
  const response = await fetch(`${app.url}${path}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: true, code: 404 });
});

test('answers 405 to a POST to a page', async () => {
  const response = await fetch(app.url, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
