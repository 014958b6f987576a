import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listContracts } from '../../../src/api/contract/contract.ts';
import { eventsOperation } from '../../../src/api/contract/events.ts';
import { versionLine } from '../../../src/platform/config/version.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person } from '../../support/people.ts';
import { readDocument } from '../../support/http/own-document.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

interface DocumentedAnswer {
  description: string;
  headers?: Record<string, unknown>;
  content: Record<string, { schema: { $ref?: string; allOf?: unknown[] } }>;
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
  components: Record<'schemas' | 'securitySchemes' | 'responses' | 'headers' | 'parameters', Record<string, unknown>>;
}

/** Of JavaScript, Python, Java, Go, C# and PHP, in lower case. */
const RESERVED_WORDS = `abstract add alias and any array as ascending assert async await base become bool boolean break by byte callable case
catch chan char checked class clone const continue debugger decimal declare def default defer del delegate delete descending die do double
dynamic echo elif else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum eval event except exec exit explicit export
extends extern fallthrough false file final finally fixed float fn for foreach from func function get global go goto group if implements
implicit import in include instanceof insteadof int interface internal into is isset iterable join lambda let list lock long managed map
match mixed module nameof namespace native new nil none nonlocal not notnull null object on operator or orderby out override package params
parent partial pass print private protected public raise range readonly record ref remove require required requires return sbyte sealed
select self set short sizeof stackalloc static strictfp string struct super switch synchronized this throw throws trait transient true try
type typeof uint ulong unchecked unmanaged unsafe unset ushort use using value var virtual void volatile when where while with xor yield`;

let database: TestDatabase;
let server: TestServer;
/** With the operations that the tests name. */
let written: Document;
let document: Document;

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { publicUrl: 'https://campanile.example', publicDocs: true };
  server = await startTestServer({ db: database.db, operations: probes({}), settings });
  const ofUsers = listContracts().filter(({ tag }) => tag === 'Users' || tag === 'Workspaces');
  written = (await readDocument([...ofUsers, ...probes({})])) as Document;
  document = resolved(written);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

/** Returns the document with every reference but those to schemas resolved. */
function resolved(of: Document): Document {
  const follow = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(follow);
    if (typeof part !== 'object' || part === null) return part;
    const [, kind, name] =
      /^#\/components\/(responses|headers|parameters)\/(.+)$/.exec(String((part as { $ref?: string }).$ref)) ?? [];
    if (kind !== undefined && name !== undefined) return follow(of.components[kind as 'responses'][name]);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, follow(value)]));
  };
  return { ...of, paths: follow(of.paths) as Document['paths'] };
}

test('is OpenAPI 3.1 for the public address, with tokens and API keys', async () => {
  expect(document.openapi).toBe('3.1.0');
  const { servers } = (await server.request('/openapi.json')).body as Document;
  expect(servers).toEqual([{ url: 'https://campanile.example' }]);
  expect(document.components.securitySchemes).toMatchObject({
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    api_key: { type: 'http', scheme: 'bearer' },
  });
});

test('has the version of the package, the clients, health and the command line', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as Document['info'];
  expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version.replace('-dev', '.dev0')}"\n`);
  expect(JSON.parse(read('clients/typescript/package.json'))).toMatchObject({ version });
  expect(((await server.request('/openapi.json')).body as Document).info.version).toBe(version);
  expect((await server.request('/health/live')).body).toMatchObject({ version });
  expect(versionLine()).toMatch(new RegExp(`^${RegExp.escape(version)}( |$)`));
});

test('allows additional fields in answers', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

test('documents the rate limit headers of previews and of failures, and sends them where requests are limited', async () => {
  const rates = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy', 'ratelimit'];
  const settings = { rateLimit: 3, corsOrigins: ['https://pages.example'] };
  const limited = await startTestServer({ db: database.db, operations: probes({}), settings });
  const headersOf = ({ paths }: Document, path: string, status: string) =>
    Object.keys(paths[path]?.['post']?.responses[status]?.headers ?? {}).filter((name) => rates.includes(name));
  const served = resolved((await limited.request('/openapi.json')).body as Document);
  expect(headersOf(served, '/api/v1/venom/preview-campaign', '200')).toEqual(rates);
  // Every 429 carries them, whichever limit was exceeded.
  for (const path of ['/api/v1/probe/do', '/api/v1/probe/echo']) {
    expect(headersOf(document, path, '200')).toEqual([]);
    expect(headersOf(document, path, 'default')).toEqual(rates);
  }
  const { token } = await person(limited, 'limited');
  const answers = [];
  for (let asked = 0; asked < 3; asked++)
    answers.push(await limited.post('/api/v1/probe/do', {}, { token, headers: { origin: 'https://pages.example' } }));
  expect(answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
    [200, '1'],
    [200, '0'],
    [429, '0'],
  ]);
  expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
    Array.from({ length: 3 }, () => '"requests";q=3;w=60'),
  );
  expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
    expect.stringMatching(/^"requests";r=1;t=\d+$/),
    expect.stringMatching(/^"requests";r=0;t=\d+$/),
    expect.stringMatching(/^"requests";r=0;t=\d+$/),
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
  const { [eventsOperation.path]: _, ...paths } = document.paths;
  for (const [path, item] of Object.entries(paths)) {
    const { post, ...others } = item;
    expect(others, path).toEqual({});
    if (!post) throw new Error(`${path} has no POST`);
    ids.add(post.operationId);
    expect(post.summary, path).toBeTruthy();
    expect(post.requestBody.content, path).toHaveProperty(['application/json', 'schema']);
    for (const status of ['200', 'default']) expect(post.responses, path).toHaveProperty(status);
    for (const [status, answer] of Object.entries(post.responses)) {
      expect(answer.description, path).toBeTruthy();
      const schema = answer.content['application/json']?.schema;
      const [envelope = schema] = schema?.allOf ?? [];
      const isFailure = JSON.stringify(envelope) === '{"$ref":"#/components/schemas/Failure"}';
      expect(isFailure, path).toBe(status !== '200');
    }
  }
  expect(ids.size).toBe(Object.keys(paths).length);
});

test('names no operation with a reserved word of a language that clients are generated for', async () => {
  const reserved = new Set(RESERVED_WORDS.split(/\s+/));
  const { paths } = (await server.request('/openapi.json')).body as Document;
  const names = Object.values(paths).flatMap((methods) => methods['post']?.operationId ?? []);
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => reserved.has(name.replaceAll(/[-_]/g, '').toLowerCase()))).toEqual([]);
  expect(names).toContain('import-media');
});

test('documents required tokens, optional bodies and headers', () => {
  const operation = (path: string) => document.paths[path]?.['post'];
  expect(operation('/api/v1/user/authorize_user')).toMatchObject({ security: [], requestBody: { required: true } });
  expect(operation('/api/v1/user/get_profile')).toMatchObject({
    security: [{ token: [] }, { api_key: ['read'] }],
    requestBody: { content: {} },
    responses: {
      default: { headers: { 'www-authenticate': {}, 'retry-after': {} } },
    },
  });
  // The default is false.
  expect(operation('/api/v1/user/get_profile')?.requestBody).not.toHaveProperty('required');
  expect(operation('/api/v1/probe/echo')).toMatchObject({
    parameters: [{ name: 'idempotency-key', in: 'header' }],
    responses: { 200: { headers: { 'x-probe': { description: 'Is set.' } } } },
  });
  expect(operation('/api/v1/probe/table')?.responses['200']?.content).toHaveProperty(['text/csv; charset=utf-8']);
});

test('documents the required scope of API keys as a role of the security requirement', () => {
  const securityOf = (name: string) => document.paths[`/api/v1/${name}`]?.['post']?.security;
  expect(securityOf('user/authorize_user')).toEqual([]);
  expect(securityOf('user/get_profile')).toEqual([{ token: [] }, { api_key: ['read'] }]);
  expect(securityOf('user/update_profile')).toEqual([{ token: [] }, { api_key: ['admin'] }]);
  expect(securityOf('user/create_api_key')).toEqual([{ token: [] }]);
});

test('names the codes of an operation, and narrows the error code to those of the status', () => {
  const responseOf = (name: string, status: string) => written.paths[`/api/v1/${name}`]?.['post']?.responses[status];
  expect(responseOf('user/revoke_api_key', '404')).toEqual({
    $ref: '#/components/responses/NotFound',
    description: '`api_key_not_found`',
  });
  expect(responseOf('user/create_user', '429')?.description).toBe('`too_many_attempts`');
  expect(responseOf('user/get_profile', '404')).toBeUndefined();
  expect(responseOf('user/get_profile', 'default')).toEqual({ $ref: '#/components/responses/Failed' });
  const { responses, schemas } = written.components;
  const names = Object.keys(responses).filter((name) => name !== 'Confirmed' && name !== 'MessageReceived');
  // People know the names of the statuses.
  const known = ['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'Conflict', 'UnprocessableContent'];
  const ofService = ['TooManyRequests', 'ServiceUnavailable', 'InsufficientStorage', 'Failed'];
  expect([...known, ...ofService]).toEqual(expect.arrayContaining(names));
  const { content } = responses['NotFound'] as DocumentedAnswer;
  const [, narrowed] = (content['application/json']?.schema.allOf ?? []) as Array<{
    properties: { error_code: { enum: string[] } };
  }>;
  expect(narrowed?.properties.error_code.enum).toContain('campaign_not_found');
  expect(narrowed?.properties.error_code.enum).not.toContain('overloaded');
  expect(schemas).toHaveProperty(['ErrorCode', 'enum']);
});

test('names each parameter of an operation apart, whatever a generator makes of the case', () => {
  for (const [path, item] of Object.entries(document.paths))
    for (const { parameters = [] } of Object.values(item)) {
      const names = parameters.map(({ name }) => name.replaceAll(/[-_]/g, '').toLowerCase());
      expect(new Set(names).size, path).toBe(names.length);
    }
});

test('names every body, so that generated clients have types with names', () => {
  for (const [path, { post }] of Object.entries(written.paths)) {
    if (!path.startsWith('/api/v1/user/') || !post) continue;
    const bodies = [post.requestBody.content, document.paths[path]?.['post']?.responses['200']?.content];
    // A CSV is a text, an archive is bytes: neither needs a name.
    for (const content of bodies.filter((one) => !one?.['text/csv; charset=utf-8'] && !one?.['*/*']))
      expect(content?.['application/json']?.schema, path).toEqual({
        $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/),
      });
  }
});

test('has no broken reference and no unused schema', () => {
  const text = JSON.stringify(written);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
  expect([...referred].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted());
  for (const [, kind = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g))
    expect(written.components).toHaveProperty([kind, name]);
  expect(document.components.schemas).toHaveProperty(['UserInfo', 'properties', 'wharsapp_number']);
});
