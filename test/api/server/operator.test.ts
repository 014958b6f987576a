import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHealth } from '../../../src/platform/concurrency/health.ts';
import { readVersion } from '../../../src/platform/config/version.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { parseAnswer, rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/http/server.ts';

const version = readVersion();

let database: TestDatabase;
const started: TestServer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.close()));
  await database.drop();
});

async function start(options: Omit<TestServerOptions, 'db'> = {}): Promise<TestServer> {
  const server = await startTestServer({ db: database.db, operations: probes({}), ...options });
  started.push(server);
  return server;
}

test('readiness names the failed check, and liveness ignores it', async () => {
  let isAway = true;
  const server = await start({
    readyChecks: {
      migrations: async () => {},
      database: async () => {
        if (isAway) throw new Error('away');
      },
    },
  });
  const away = await server.request('/health/ready');
  expect([away.status, away.body]).toEqual([
    503,
    { status: 'unavailable', checks: { migrations: 'ok', database: 'failed' }, ...version },
  ]);
  expect((await server.request('/health/live')).body).toEqual({ status: 'ok', ...version });
  isAway = false;
  expect((await server.request('/health/ready')).status).toBe(200);
});

test('readiness names a reported problem until it is resolved', async () => {
  const health = createHealth();
  const server = await start({ readyChecks: { database: async () => {} }, health });
  health.report('loop lanes', {
    message: 'The background loop "lanes" keeps failing',
    detail: 'for the operator alone',
  });
  const failing = await server.request('/health/ready');
  expect([failing.status, failing.body]).toEqual([
    503,
    {
      status: 'unavailable',
      message: 'The background loop "lanes" keeps failing',
      checks: { database: 'ok', 'loop lanes': 'failed' },
      ...version,
    },
  ]);
  health.resolve('loop lanes');
  expect((await server.request('/health/ready')).status).toBe(200);
});

test('hides the version in health if PUBLIC_URL is set, unless the docs are public', async () => {
  const settings = { publicUrl: 'https://campanile.example' };
  const [closed, open] = await Promise.all([
    start({ settings }),
    start({ settings: { ...settings, publicDocs: true } }),
  ]);
  expect((await closed.request('/health/live')).body).toEqual({ status: 'ok' });
  expect((await open.request('/health/live')).body).toEqual({ status: 'ok', ...version });
});

test('readiness gives the cause if it is known', async () => {
  let [code, isFull] = ['53100', false];
  const server = await start({
    readyChecks: { database: () => Promise.reject(Object.assign(new Error('x'), { code })) },
    isDiskFull: () => isFull,
  });
  const checks = { database: 'failed' };
  const readiness = async () => (await server.request('/health/ready')).body;
  const full = { status: 'unavailable', message: 'The disk that the database is on is full', checks, ...version };
  expect(await readiness()).toEqual(full);
  code = 'ECONNREFUSED';
  expect(await readiness()).toEqual({ ...full, message: 'The database cannot be reached just now' });
  // The disk was full when the database stopped.
  isFull = true;
  expect(await readiness()).toEqual(full);
});

test('metrics count requests by path and require their token if one is set', async () => {
  const server = await start({ settings: { metricsToken: 'let me see' } });
  await server.post('/api/v1/probe/echo', { name: 'x' });
  await server.post('/somewhere/else');
  for (const authorization of ['', 'Bearer let me', 'Bearer let me see it']) {
    const refused = await server.request('/metrics', { headers: { authorization } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  }
  const answer = await server.request('/metrics', { headers: { authorization: 'bearer let me see' } });
  expect(answer.text).toContain('campanile_http_requests_total{path="/api/v1/probe/echo",class="2xx"} 1');
  expect(answer.text).toContain('campanile_http_requests_total{path="unknown",class="4xx"} 1');
  expect(answer.text).toContain('campanile_http_request_duration_seconds_count{group="Sandbox"} 1');
  expect(answer.text).toContain('campanile_http_responses_total{status="404"} 1');
  expect(answer.text).not.toContain('/somewhere');
});

test('the root redirects to the docs, whose CSP allows only their own scripts', async () => {
  const server = await start();
  const root = await server.request('/', { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
  const docs = await server.request('/docs');
  expect(docs.status).toBe(200);
  const policy = docs.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(docs.text).not.toMatch(/<script(?![^>]* src=)/);
  for (const [, file] of docs.text.matchAll(/(?:src|href)="([^"]+)"/g))
    expect((await server.request(file ?? '')).status, file).toBe(200);
  const api = await server.post('/api/v1/probe/echo', { name: 'x' });
  expect(api.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(api.headers.get('cache-control')).toBe('no-store');
});

test('CORS: allows only the configured origins', async () => {
  const preflight = (server: TestServer, origin: string) =>
    server.request('/api/v1/probe/echo', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
  const server = await start({ settings: { corsOrigins: ['https://app.example.com'] } });
  const allowed = await preflight(server, 'https://app.example.com');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization');
  expect((await preflight(server, 'https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  const closed = await start();
  expect((await preflight(closed, 'https://app.example.com')).status).toBe(405);
});

test('answers 429 to a user over the rate limit and serves others', async () => {
  const server = await start({ settings: { rateLimit: 5 } });
  const [alice, bob] = [await person(server, 'alice'), await person(server, 'bob')];
  const call = (token: string) => server.post('/api/v1/probe/do', {}, { token });
  // Signing in read the profile already; all bearer operations count together.
  const statuses = [];
  for (let round = 0; round < 5; round += 1) statuses.push((await call(alice.token)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  const limited = await call(alice.token);
  expect(limited.body).toMatchObject({ error: true, code: 429 });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await call(bob.token)).status).toBe(200);
});

test('takes the address of a client from a trusted proxy only', async () => {
  const forwarded = { 'x-forwarded-for': '10.9.9.9, 203.0.113.7, 10.0.0.2' };
  const addressFor = async (server: TestServer) => {
    const answer = await server.post('/api/v1/probe/echo', { name: 'x' }, { headers: forwarded });
    return (answer.body as { data: { address: string } }).data.address;
  };
  expect(await addressFor(await start())).toBe('127.0.0.1');
  expect(await addressFor(await start({ settings: { trustedProxies: ['192.0.2.0/24'] } }))).toBe('127.0.0.1');
  // The client can claim anything before the address that the outermost proxy saw.
  const behindProxies = await start({ settings: { trustedProxies: ['loopback', '10.0.0.0/8'] } });
  expect(await addressFor(behindProxies)).toBe('203.0.113.7');
  expect(await addressFor(await start({ settings: { trustedProxies: ['loopback'] } }))).toBe('10.0.0.2');
});

test('takes the address of a client also with a port, and that of the nearest trusted proxy where there is none', async () => {
  const server = await start({ settings: { trustedProxies: ['loopback', '10.0.0.0/8', 'fd00::/8'] } });
  const addressFor = async (forwarded: string) => {
    const answer = await server.post(
      '/api/v1/probe/echo',
      { name: 'x' },
      { headers: { 'x-forwarded-for': forwarded } },
    );
    expect(answer.status, forwarded).toBe(200);
    return (answer.body as { data: { address: string } }).data.address;
  };
  for (const [forwarded, address] of [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['198.51.100.1, 203.0.113.7:51234, 10.0.0.2:80, [fd00::2]:80', '203.0.113.7'],
    ['x, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, x, 10.0.0.2', '10.0.0.2'],
    ['x, 203.0.113.7, y, 10.0.0.2', '10.0.0.2'],
    ...[
      'unknown',
      '<script>',
      '',
      ',,',
      ' : ',
      'fe80::1%x',
      '[]:1',
      '203.0.113.7:',
      '203.0.113.7:port',
      '203.0.113.7:1:2',
    ].map((garbage) => [garbage, '127.0.0.1']),
    ['1.2.3.4, x', '127.0.0.1'],
    ['9'.repeat(8_000), '127.0.0.1'],
  ] as Array<[string, string]>)
    expect(await addressFor(forwarded), forwarded).toBe(address);
});

test('graceful shutdown: finishes requests in flight, closes idle connections and accepts no new one', async () => {
  let finish = () => {};
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const handle = () => {
    begun();
    return new Promise<void>((resolve) => (finish = resolve));
  };
  const server = await startTestServer({ db: database.db, operations: probes({ handle }) });
  const alice = await person(server, 'alice');
  const idle = rawConnection(server.url);
  idle.send('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await idle.received((text) => text.includes('ok'));
  const inHand = server.post('/api/v1/probe/do', {}, { token: alice.token });
  await hasBegun;
  const closed = server.close();
  await idle.received();
  await expect(server.request('/health/live')).rejects.toThrow('fetch failed');
  finish();
  expect((await inHand).status).toBe(200);
  await closed;
});

test('shutdown drops a request that exceeds the timeout', async () => {
  const handle = () => new Promise<void>(() => {});
  const server = await startTestServer({
    db: database.db,
    operations: probes({ handle }),
    limits: { closeTimeoutMs: 200 },
  });
  const alice = await person(server, 'alice');
  const raw = rawConnection(server.url);
  raw.send(
    `POST /api/v1/probe/do HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${alice.token}\r\ncontent-length: 0\r\n\r\n`,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.close();
  expect(await raw.received()).toBe('');
});

test('answers 503 while the database is unreachable, and the process stays alive', async () => {
  const { connectDatabase } = await import('../../../src/platform/database/connect.ts');
  const { createLog } = await import('../../../src/platform/log/log.ts');
  const nowhere = connectDatabase(
    { socketFolder: '/nonexistent', port: 1, user: 'x', database: 'x' },
    { log: createLog('silent') },
  );
  const server = await startTestServer({ db: nowhere });
  const raw = await server.post('/api/v1/user/authorize_user', { user_name: 'alice', password: 'x' });
  expect([raw.status, raw.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await server.request('/health/live')).status).toBe(200);
  await server.close();
  await nowhere.destroy();
});

test('adds a request id to the answer to a malformed request', async () => {
  const server = await start();
  const raw = rawConnection(server.url);
  raw.send('\0\0\0\r\n\r\n');
  const answer = parseAnswer(await raw.received());
  expect(answer.headers.get('x-request-id')).toBeTruthy();
});
