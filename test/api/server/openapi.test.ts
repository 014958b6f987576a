import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { versionLine } from '../../../src/platform/config/version.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

interface DocumentedAnswer {
  description: string;
  headers: Record<string, unknown>;
  content: Record<string, { schema: { $ref?: string } }>;
}
interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: unknown[];
  parameters?: Array<{ name: string; in: string }>;
  requestBody: { required: boolean; content: Record<string, { schema: unknown }> };
  responses: Record<string, DocumentedAnswer>;
}
interface Document {
  openapi: string;
  info: { version: string };
  servers: Array<{ url: string }>;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

let database: TestDatabase;
let server: TestServer;
let document: Document;

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { publicUrl: 'https://campanile.example', publicDocs: true };
  server = await startTestServer({ db: database.db, operations: probes({}), settings });
  document = (await server.request('/openapi.json')).body as Document;
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

test('is OpenAPI 3.1 for the public address, with the bearer scheme', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: 'https://campanile.example' }]);
  expect(document.components.securitySchemes).toEqual({
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: expect.stringContaining('API key') },
  });
});

test('has the version of the package, the clients, health and the command line', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as Document['info'];
  expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
  expect(JSON.parse(read('clients/typescript/package.json'))).toMatchObject({ version });
  expect(document.info.version).toBe(version);
  expect((await server.request('/health/live')).body).toMatchObject({ version });
  expect(versionLine()).toMatch(new RegExp(`^${RegExp.escape(version)}( |$)`));
});

test('allows additional fields in answers', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

test('documents the rate limit headers where requests are limited', async () => {
  const rates = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  const settings = { rateLimit: 3, corsOrigins: ['https://pages.example'] };
  const limited = await startTestServer({ db: database.db, operations: probes({}), settings });
  const told = (await limited.request('/openapi.json')).body as Document;
  const headersOf = ({ paths }: Document, path: string, status: string) =>
    Object.keys(paths[path]?.['post']?.responses[status]?.headers ?? {}).filter((name) => rates.includes(name));
  for (const status of ['200', '429']) expect(headersOf(told, '/api/v1/probe/do', status)).toEqual(rates);
  expect(headersOf(document, '/api/v1/probe/do', '200')).toEqual([]);
  // Every 429 carries them, whichever limit was exceeded.
  expect(headersOf(document, '/api/v1/probe/do', '429')).toEqual(rates);
  expect(headersOf(told, '/api/v1/probe/echo', '200')).toEqual([]);
  const { token } = await person(limited, 'limited');
  const answers = [];
  for (let asked = 0; asked < 3; asked++)
    answers.push(await limited.post('/api/v1/probe/do', {}, { token, headers: { origin: 'https://pages.example' } }));
  expect(answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
    [200, '1'],
    [200, '0'],
    [429, '0'],
  ]);
  const exposed = answers[0]?.headers.get('access-control-expose-headers');
  for (const name of [...rates, 'x-campanile-warnings', 'idempotency-replayed']) expect(exposed).toContain(name);
  await limited.close();
});

test('documents every operation with its body, answer and errors', () => {
  const users = [
    'create_user',
    'authorize_user',
    'get_profile',
    'update_profile',
    'change_password',
    'revoke_tokens',
    'create_api_key',
    'list_api_keys',
    'revoke_api_key',
    'list_audit_log',
  ];
  for (const name of users) expect(document.paths).toHaveProperty([`/api/v1/user/${name}`]);
  const ids = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    const { post, ...others } = item;
    expect(others, path).toEqual({});
    if (!post) throw new Error(`${path} has no POST`);
    ids.add(post.operationId);
    expect(post.summary, path).toBeTruthy();
    expect(post.requestBody.content, path).toHaveProperty(['application/json', 'schema']);
    for (const status of ['400', '408', '413', '415', '500', '503'])
      expect(post.responses, path).toHaveProperty(status);
    for (const [status, answer] of Object.entries(post.responses)) {
      expect(answer.description, path).toBeTruthy();
      expect(answer.headers, path).toHaveProperty('x-request-id');
      const isFailure = answer.content['application/json']?.schema.$ref === '#/components/schemas/Failure';
      expect(isFailure, path).toBe(status !== '200');
    }
  }
  expect(ids.size).toBe(Object.keys(document.paths).length);
});

test('documents required tokens, optional bodies and headers', () => {
  const operation = (path: string) => document.paths[path]?.['post'];
  expect(operation('/api/v1/user/authorize_user')).toMatchObject({ security: [], requestBody: { required: true } });
  expect(operation('/api/v1/user/get_profile')).toMatchObject({
    security: [{ bearer: [] }],
    requestBody: { required: false },
    responses: { 401: { headers: { 'www-authenticate': {} } }, 429: { headers: { 'retry-after': {} } } },
  });
  expect(operation('/api/v1/probe/echo')).toMatchObject({
    parameters: [
      { name: 'idempotency-key', in: 'header', required: false },
      { name: 'Prefer', in: 'header', required: false },
    ],
    responses: { 200: { headers: { 'x-probe': { description: 'Is set.' } } } },
  });
  expect(operation('/api/v1/probe/table')?.responses['200']?.content).toHaveProperty(['text/csv; charset=utf-8']);
});

test('documents the required scope of API keys and the 403', () => {
  const operations = Object.entries(document.paths).flatMap(([path, { post }]) => (post ? [{ path, ...post }] : []));
  for (const { path, security, description, responses } of operations) {
    const isOpen = security.length === 0;
    expect(/an API key with the scope|API keys are not accepted/.test(description ?? ''), path).toBe(!isOpen);
    expect('403' in responses || isOpen, path).toBe(true);
  }
  const descriptionOf = (name: string) => document.paths[`/api/v1/${name}`]?.['post']?.description;
  expect(descriptionOf('user/get_profile')).toContain('an API key with the scope `read`');
  expect(descriptionOf('user/update_profile')).toContain('an API key with the scope `admin`');
  expect(descriptionOf('user/create_api_key')).toContain('API keys are not accepted');
});

test('has no broken reference and no unused schema', () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
  expect([...referred].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
  expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull();
  expect(document.components.schemas).toHaveProperty(['UserInfo', 'properties', 'wharsapp_number']);
});
