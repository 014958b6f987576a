import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Log } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/http/server.ts';

let database: TestDatabase;
const started: TestServer[] = [];
let written: string[] = [];
/** As pino has it. */
const DEBUG = 20;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  written = [];
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.close()));
  await database.drop();
});

async function start(
  level: string,
  settings: TestServerOptions['settings'] = {},
  behaviour: Parameters<typeof probes>[0] = {},
): Promise<TestServer> {
  const log: Log = pino({ level, base: null }, { write: (line: string) => written.push(line) });
  const server = await startTestServer({ db: database.db, operations: probes(behaviour), log, settings });
  started.push(server);
  return server;
}

/** Returns the lines of one log; each is written shortly after the answer. */
async function linesOf(log: string, count: number): Promise<Array<Record<string, unknown>>> {
  const read = () =>
    written.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['log'] === log);
  await expect.poll(() => read().length).toBe(count);
  return read();
}

test('logs failed sign-ins, rejections, rate limits and sensitive actions with the address, and never user input', async () => {
  const server = await start('warn', { trustedProxies: ['loopback'], rateLimit: 3 });
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  const alice = await person(server, 'alice');
  written = [];
  const typed = { user_name: 'my secret typed here', password: 'another secret' };
  const failed = await server.post('/api/v1/user/authorize_user?q=secret', typed, { headers });
  await server.post('/api/v1/user/get_profile', {}, { token: 'secret.not.one' });
  await server.post(
    '/api/v1/user/change_password',
    { current_password: 'a secret', new_password: 'long enough' },
    alice,
  );
  const key = await server.post('/api/v1/user/create_api_key', { name: 'my secret key', scopes: ['read'] }, alice);
  const secret = (key.body as { data: { key: string } }).data.key;
  await server.post('/api/v1/user/list_api_keys', {}, alice);
  await server.post('/api/v1/user/get_profile', {}, alice);
  await server.post('/api/v1/user/revoke_tokens', {}, { token: secret });
  await server.post('/secret/path');
  const lines = await linesOf('security', 7);
  expect(lines[0]).toEqual({
    level: 30,
    time: expect.any(Number),
    log: 'security',
    event: 'sign_in_failed',
    method: 'POST',
    path: '/api/v1/user/authorize_user',
    status: 401,
    address: '203.0.113.7',
    requestId: failed.headers.get('x-request-id'),
  });
  expect(lines.map(({ event, status, userId }) => [event, status, userId])).toEqual([
    ['sign_in_failed', 401, undefined],
    ['unauthenticated', 401, undefined],
    ['failed', 400, alice.userId],
    ['done', 200, alice.userId],
    ...Array.from({ length: 3 }, () => ['limit_hit', 429, alice.userId]),
  ]);
  expect(written.join('')).not.toContain('secret');
  expect(written.join('')).not.toContain(secret);
});

test('logs the id of an API key that lacks the scope', async () => {
  const server = await start('info');
  const bob = await person(server, 'bob');
  const key = await server.post('/api/v1/user/create_api_key', { name: 'x', scopes: ['read'] }, bob);
  const { key: token, api_key_id } = (key.body as { data: { key: string; api_key_id: number } }).data;
  written = [];
  await server.post('/api/v1/user/revoke_tokens', {}, { token });
  expect(await linesOf('security', 1)).toMatchObject([{ event: 'refused', userId: bob.userId, apiKeyId: api_key_id }]);
});

test('logs changes of members, without names, and no reads of them', async () => {
  const server = await start('info');
  const carol = await person(server, 'carol');
  written = [];
  await server.post('/api/v1/workspace/list-members', {}, carol);
  await server.post('/api/v1/workspace/rename-workspace', { name: 'my secret name' }, carol);
  expect(await linesOf('security', 1)).toMatchObject([
    { event: 'done', path: '/api/v1/workspace/rename-workspace', status: 200, userId: carol.userId },
  ]);
  expect(written.join('')).not.toContain('secret');
});

test('writes an access log only if it is enabled, and nothing at the level fatal', async () => {
  const [on, off, silent] = [await start('error', { accessLog: true }), await start('info'), await start('fatal')];
  for (const server of [off, silent]) await server.request('/health/live');
  await silent.post('/api/v1/user/authorize_user', { user_name: 'x', password: 'y' });
  await on.request('/health/live?token=secret');
  await on.post('/nowhere/secret');
  const lines = await linesOf('access', 2);
  expect(lines).toMatchObject([
    { method: 'GET', path: '/health/live', status: 200, address: '127.0.0.1', ms: expect.any(Number) },
    { method: 'POST', path: 'unknown', status: 404 },
  ]);
  expect(written).toHaveLength(2);
  expect(written.join('')).not.toContain('secret');
});

test('the documented fail2ban filter matches the address of failed sign-ins and no other line', async () => {
  const docs = await readFile('docs/how-to/run-in-production.md', 'utf8');
  const expression = /^failregex = (.+)$/m.exec(docs)?.[1] ?? '';
  const filter = new RegExp(expression.replace('<HOST>', '(?<host>[0-9a-f.:]+)'));
  const server = await start('info', { trustedProxies: ['loopback'] });
  const guess = (address: string) =>
    server.post(
      '/api/v1/user/authorize_user',
      { user_name: '","address":"192.0.2.1"', password: 'a guess' },
      { headers: { 'x-forwarded-for': address } },
    );
  await guess('203.0.113.9');
  await guess('2001:db8::9');
  await server.post('/api/v1/user/get_profile');
  await linesOf('security', 3);
  expect(written.map((line) => filter.exec(line)?.groups?.['host'])).toEqual(['203.0.113.9', '2001:db8::9', undefined]);
});

test('a client that leaves before the first piece of a long answer is no error', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const writing = async function* () {
    asked.resolve();
    await read.promise;
    yield 'a row';
  };
  const server = await start('debug', {}, { writing });
  const client = new AbortController();
  const answer = server.request('/api/v1/probe/table', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: client.signal,
  });
  answer.catch(() => undefined);
  await asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow(/abort/);
  // The server has seen the end of the connection before it answers another one.
  for (let round = 0; round < 3; round++) await server.request('/health/live');
  read.resolve();
  const lines = () => written.filter((line) => line.includes('/probe/table')).map((line) => JSON.parse(line) as object);
  await until(
    async () => lines().length,
    (count) => count > 0,
  );
  expect(lines()).toMatchObject([{ level: DEBUG, msg: 'a client left before its answer' }]);
});
