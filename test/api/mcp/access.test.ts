/** Access to MCP over HTTP: it requires a valid API key and rejects pages of other origins. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildMcpHttp } from '../../../src/api/mcp/serve-http.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const CALLS = ['initialize', 'tools/list', 'tools/call', 'ping', 'resources/list'];
const PUBLIC_ORIGIN = 'https://campanile.example.com';
const WRONG_KEY = `cmp_${'x'.repeat(48)}`;

let app: TestApp;
let alice: Person;
let http: FastifyInstance;
let address: string;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
  http = buildMcpHttp({ url: app.url, allowedOrigins: [PUBLIC_ORIGIN] });
  address = await http.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await http.close();
  await app.stop();
});

async function createKey(...scopes: string[]): Promise<{ key: string; key_id: number }> {
  return (await alice.call<{ key: string; key_id: number }>('user/create_api_key', { name: 'mcp', scopes })).body.data;
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Uses `node:http`, because `fetch` does not let a caller set `Origin`. */
function ask(
  method: string,
  headers: Record<string, string> = {},
  { call = 'initialize', at = address }: { call?: string; at?: string } = {},
): Promise<Answer> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call, ...(call === 'initialize' && { params }) });
  const hasBody = !['GET', 'HEAD'].includes(method);
  return new Promise((resolve, reject) => {
    const request = requestHttp(`${at}/mcp`, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(hasBody && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    request.on('error', reject).on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      );
    });
    request.end(hasBody ? body : undefined);
  });
}

const by = (key: string) => ({ authorization: `Bearer ${key}` });

test.each(METHODS)(
  '%s without an API key, with a token or with a wrong key is answered 401 with an explanation',
  async (method) => {
    for (const headers of [{}, by(alice.token), by('cmp_nonsense'), by(WRONG_KEY)]) {
      const { status, headers: given, text } = await ask(method, headers);
      expect([status, given['www-authenticate']]).toEqual([401, 'Bearer']);
      // The answer to HEAD has no body.
      expect(text).toMatch(method === 'HEAD' ? /^$/ : /"message":"[^"]*API key/);
    }
  },
);

test.each(CALLS)('%s with a wrong key is answered 401', async (call) => {
  expect((await ask('POST', by(WRONG_KEY), { call })).status).toBe(401);
});

test('accepts initialize from a key with any scope, and answers other methods 405', async () => {
  for (const scope of ['read', 'send', 'admin']) {
    const { key } = await createKey(scope);
    expect(await ask('POST', by(key))).toMatchObject({ status: 200, text: expect.stringContaining('campanile') });
  }
  const { key } = await createKey('read');
  for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
    const { status, headers } = await ask(method, by(key));
    expect([status, headers['allow']]).toEqual([405, 'GET, POST, DELETE']);
  }
});

test('answers 403 to a page of another origin even with a valid key, and accepts its own origins', async () => {
  const { key } = await createKey('read');
  const from = (origin: string) => ask('POST', { ...by(key), origin });
  for (const origin of ['https://evil.example', `${PUBLIC_ORIGIN}:8443`, 'http://campanile.example.com', 'null', '']) {
    const { status, text } = await from(origin);
    expect([origin, status, JSON.parse(text)]).toMatchObject([
      origin,
      403,
      { error_code: 'origin_not_allowed', message: expect.stringMatching(/Origin/) },
    ]);
  }
  for (const origin of [PUBLIC_ORIGIN, new URL(app.url).origin]) expect((await from(origin)).status).toBe(200);
  for (const method of METHODS)
    expect((await ask(method, { origin: 'https://evil.example' })).status, method).toBe(403);
});

test('answers 503 with an explanation while the service is unreachable', async () => {
  const alone = buildMcpHttp({ url: 'http://127.0.0.1:9', allowedOrigins: [] });
  const answer = await alone.inject({ method: 'POST', url: '/mcp', headers: by(WRONG_KEY), payload: {} });
  expect([answer.statusCode, answer.json()]).toMatchObject([503, { error_code: 'unreachable' }]);
  await alone.close();
});

test('the command accepts the origins of PUBLIC_URL and --allow-origin', async () => {
  const { key } = await createKey('read');
  const given = ['mcp', '--port', '0', '--url', app.url, '--allow-origin', 'https://tools.example.com/'];
  const command = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/campanile.mjs'), ...given], {
    env: { ...process.env, PUBLIC_URL: PUBLIC_ORIGIN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    command.kill();
    await once(command, 'exit');
  });
  let said = '';
  command.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const [at = ''] = await until(
    () => /http:\/\/[\d.]+:\d+/.exec(said) ?? [],
    ([found]) => found !== undefined,
  );
  const statusFrom = async (origin: string) => (await ask('POST', { ...by(key), origin }, { at })).status;
  expect(await statusFrom(PUBLIC_ORIGIN)).toBe(200);
  expect(await statusFrom('https://tools.example.com')).toBe(200);
  expect(await statusFrom('https://evil.example')).toBe(403);
});
