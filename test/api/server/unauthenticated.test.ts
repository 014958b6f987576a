/** Access for unauthenticated clients: allowed Host headers, docs, metrics, cookies and HSTS. */
import { request as ask } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpSettings } from '../../../src/api/server/server.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person } from '../../support/people.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

let database: TestDatabase;
const started: TestServer[] = [];
const PUBLIC_URL = 'https://campanile.example';

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.close()));
  await database.drop();
});

async function start(settings: HttpSettings): Promise<TestServer> {
  const server = await startTestServer({ db: database.db, settings });
  started.push(server);
  return server;
}

describe('DNS rebinding: the Host header', () => {
  /** `fetch` writes this header itself. */
  const statusFor = (server: TestServer, host: string) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      ask(`${server.url}/health/live`, { headers: { host } }, (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });
  const OWN = [
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1:3000',
    '127.9.9.9',
    '[::1]:3000',
    'app.localhost',
    'localhost.',
  ];
  const OTHER = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.0.1', 'x', '[::2]'];

  test('must be loopback while the server listens on loopback', async () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const server = await start({ host });
      for (const name of OWN) expect((await statusFor(server, name)).status, name).toBe(200);
      for (const name of OTHER) {
        const { status, text } = await statusFor(server, name);
        expect([status, text.includes('set PUBLIC_URL')], name).toEqual([403, true]);
      }
    }
  });

  test('may be the host of PUBLIC_URL, too', async () => {
    const server = await start({ host: '127.0.0.1', publicUrl: PUBLIC_URL });
    for (const name of [...OWN, 'campanile.example', 'Campanile.Example:443'])
      expect((await statusFor(server, name)).status, name).toBe(200);
    expect((await statusFor(server, 'www.campanile.example')).status).toBe(403);
  });

  test('may be any while the server listens on another address', async () => {
    for (const settings of [{ host: '0.0.0.0' }, { host: '::' }, { host: '192.0.2.1', publicUrl: PUBLIC_URL }]) {
      const server = await start(settings);
      for (const name of [...OWN, ...OTHER]) expect((await statusFor(server, name)).status, name).toBe(200);
    }
  });
});

const DESCRIBED = ['/docs', '/docs/json', '/openapi.json'];

test('serves the docs and metrics without authentication if PUBLIC_URL is unset, or with PUBLIC_DOCS', async () => {
  for (const settings of [{}, { publicUrl: PUBLIC_URL, publicDocs: true }]) {
    const server = await start(settings);
    for (const path of [...DESCRIBED, '/metrics']) expect((await server.request(path)).status, path).toBe(200);
  }
});

test('with PUBLIC_URL, requires a token, an API key or the cookie for the docs', async () => {
  const server = await start({ publicUrl: PUBLIC_URL });
  const alice = await person(server, 'alice');
  const made = await server.post('/api/v1/user/create_api_key', { name: 'x', scopes: ['read'] }, alice);
  const { key } = (made.body as { data: { key: string } }).data;
  for (const path of DESCRIBED) {
    const statusWith = async (headers: Record<string, string>) => (await server.request(path, { headers })).status;
    expect(await statusWith({}), path).toBe(401);
    expect(await statusWith({ authorization: 'Bearer no.such.token' }), path).toBe(401);
    expect(await statusWith({ cookie: `campanile_session=${alice.token}` }), path).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${alice.token}` }), path).toBe(200);
    expect(await statusWith({ authorization: `Bearer ${key}` }), path).toBe(200);
    expect(await statusWith({ cookie: `__Host-campanile_session=${alice.token}` }), path).toBe(200);
  }
});

test('with PUBLIC_URL, requires METRICS_TOKEN for the metrics', async () => {
  const open = await start({ publicUrl: PUBLIC_URL });
  const refused = await open.request('/metrics');
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('METRICS_TOKEN')]);
  const closed = await start({ publicUrl: PUBLIC_URL, metricsToken: 'see' });
  expect((await closed.request('/metrics', { headers: { authorization: 'Bearer see' } })).status).toBe(200);
});

test('accepts only the __Host- cookie behind HTTPS, and only the plain one without it', async () => {
  const dashboard = { 'x-campanile-dashboard': '1', 'content-type': 'application/json' };
  const names = ['campanile_session', '__Host-campanile_session'];
  for (const [settings, expected] of [
    [{ publicUrl: PUBLIC_URL }, [401, 200]],
    [{}, [200, 401]],
  ] as const) {
    const server = await start(settings);
    const { token } = await person(server, 'bob');
    const statuses = names.map(async (name) => {
      const headers = { ...dashboard, cookie: `${name}=${token}` };
      return (await server.request('/api/v1/user/get_profile', { method: 'POST', headers, body: '{}' })).status;
    });
    expect(await Promise.all(statuses)).toEqual(expected);
  }
});

test('sends HSTS for this host alone behind HTTPS', async () => {
  const secure = await start({ publicUrl: PUBLIC_URL, publicDocs: true });
  for (const path of ['/docs', '/health/live', '/nowhere', '/api/v1/user/get_profile'])
    expect((await secure.request(path)).headers.get('strict-transport-security'), path).toBe('max-age=31536000');
  const plain = await start({ publicUrl: 'http://campanile.example', publicDocs: true });
  expect((await plain.request('/docs')).headers.get('strict-transport-security')).toBeNull();
});

test('answers 304 to a matching If-None-Match', async () => {
  const server = await start({});
  const first = await server.request('/openapi.json');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  const again = (known: string) => server.request('/openapi.json', { headers: { 'if-none-match': known } });
  expect([(await again(etag)).status, (await again(etag)).text]).toEqual([304, '']);
  expect((await again(`"x", W/${etag}`)).status).toBe(304);
  expect((await again('"other"')).text).toBe(first.text);
});
