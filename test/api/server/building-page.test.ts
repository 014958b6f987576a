/** The pages of the dashboard before it is built, and without a build. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { DashboardState } from '../../../src/api/server/serve-dashboard.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/http/server.ts';

let state: DashboardState;
const database = await createTestDatabase();
const server = await startTestServer({ db: database.db, hasDashboard: true, dashboardState: () => state });
beforeEach(() => {
  state = 'building';
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

test.each(['/', '/sign-in', '/groups?search=x'])(
  '%s answers 503 with a page that reloads itself while the dashboard is being built',
  async (path) => {
    const { status, headers, text } = await server.request(path);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect(headers.get('refresh')).toBe('5');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /);
    expect(text).toContain('<h1>The dashboard is being built</h1>');
    expect(text).toContain('<a href="">Reload now</a>');
    expect(text).not.toContain('<script');
  },
);

test('the page is in the language of the browser', async () => {
  const { headers, text } = await server.request('/', { headers: { 'accept-language': 'de-AT, en;q=0.5' } });
  expect(headers.get('content-language')).toBe('de');
  expect(text).toContain('<html lang="de">');
  expect(text).toContain('<h1>Das Dashboard wird gebaut</h1>');
});

test('operations, health and metrics work while the dashboard is being built', async () => {
  expect((await server.post('/api/v1/user/authorize_user', {})).status).toBe(400);
  expect((await server.request('/health/ready')).status).toBe(200);
  expect((await server.request('/metrics')).status).toBe(200);
});

test('an unknown address answers a browser with the same page, and a program with 404', async () => {
  expect((await server.request('/nowhere', { headers: { accept: 'text/html' } })).status).toBe(503);
  expect((await server.request('/nowhere')).status).toBe(404);
});

test('serves the dashboard from the moment it is built', async () => {
  expect((await server.request('/')).status).toBe(503);
  state = 'built';
  const { status, headers, text } = await server.request('/');
  expect(status).toBe(200);
  expect(headers.get('refresh')).toBeNull();
  expect(text).toContain('<div id="root">');
  const [, script] = /<link rel="modulepreload" href="([^"]+)"/.exec(text) ?? [];
  expect((await server.request(script ?? '')).status).toBe(200);
});

test('without a build / redirects to the page for trying the API, and other pages are not found', async () => {
  state = 'missing';
  const { status, headers } = await server.request('/', { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([302, '/docs']);
  expect((await server.request('/groups')).status).toBe(404);
  expect((await server.request('/nowhere', { headers: { accept: 'text/html' } })).status).toBe(404);
});
