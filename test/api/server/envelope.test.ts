import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { statusOf } from '../../../src/api/server/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../../src/platform/errors/error-codes.ts';
import { AppError, fieldError } from '../../../src/platform/errors/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person, type Person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type Answer, type TestServer } from '../../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;
let alice: Person;
let behaviour: { handle: () => Promise<void> };

beforeAll(async () => {
  database = await createTestDatabase();
  behaviour = { handle: async () => {} };
  server = await startTestServer({ db: database.db, operations: probes({ handle: () => behaviour.handle() }) });
  alice = await person(server, 'alice');
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
beforeEach(() => {
  behaviour.handle = async () => {};
});

const ECHO = '/api/v1/probe/echo';
const DO = '/api/v1/probe/do';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function expectFailure(answer: Answer, code: number, details: unknown[] = []) {
  expect(answer.status).toBe(code);
  expect(answer.headers.get('x-request-id')).toMatch(UUID);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual({
    error: true,
    status: 'error',
    code,
    error_code: expect.toSatisfy((told: ErrorCode) => told in ERROR_CODES && statusOf(told) === code),
    message: expect.stringMatching(/^[A-Za-z].*[^.]$/),
    details,
    data: null,
    request_id: answer.headers.get('x-request-id'),
  });
}

test('answers a success with exactly the envelope of the specification', async () => {
  const answer = await server.post(ECHO, { name: 'x' }, { headers: { 'x-request-id': 'mine' } });
  expect(answer.text).toMatch(/^\{"error":false,"status":"success","code":200,"data":\{"name":"x",/);
  expect(answer.headers.get('x-request-id')).toMatch(UUID);
  expect(answer.headers.get('x-probe')).toBe('none');
  expect((await server.post('/api/v1/probe/table')).text).toBe('a,b\r\n1,2\r\n');
});

test('treats null in an optional field as absent and ignores unknown fields', async () => {
  const body = { name: 'x', note: null, count: null, ids: null, kind: null, schedule_time: 7, __proto__x: 1 };
  expect((await server.post(ECHO, body)).body).toMatchObject({ data: { note: null, count: 3, ids: null } });
  expectFailure(await server.post(ECHO, { name: null }), 400, [
    { field: 'name', issue: 'must be a string', code: 'wrong_type', params: { expected: 'a string' } },
  ]);
});

test('names each invalid field by its path, with the expected value', async () => {
  const answer = await server.post(ECHO, { name: '', note: 4, count: 6, kind: 'c', ids: [1, 2.5, 'x'] });
  expectFailure(answer, 400, [
    { field: 'name', issue: 'must not be empty', code: 'empty' },
    { field: 'note', issue: 'must be a string', code: 'wrong_type', params: { expected: 'a string' } },
    { field: 'count', issue: 'must be at most 5', code: 'too_high', params: { limit: 5 } },
    { field: 'kind', issue: 'must be one of a, b', code: 'wrong_value', params: { values: 'one of a, b' } },
    { field: 'ids.1', issue: 'must be a whole number', code: 'whole_number' },
    { field: 'ids.2', issue: 'must be a number', code: 'wrong_type', params: { expected: 'a number' } },
  ]);
  expectFailure(await server.post(ECHO, { name: 'x', ids: [1, 2, 3, 4] }), 400, [
    { field: 'ids', issue: 'must have at most 3 entries', code: 'too_many', params: { limit: 3 } },
  ]);
});

test('answers 400 to a body that is not a JSON object', async () => {
  for (const body of ['{"name":', '{name:1}', "{'name':'x'}", '[1]', '"x"', '3', 'true', 'NaN', '{"name":"x"}}'])
    expectFailure(await server.post(ECHO, body), 400);
  expectFailure(await server.post(ECHO, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400);
});

test('treats an empty body as {} if no field is required', async () => {
  const options = { token: alice.token };
  expect((await server.post(DO, undefined, options)).status).toBe(200);
  const headers = { 'content-type': 'application/json' };
  for (const body of ['', '  ', 'null', '{}'])
    expect((await server.post(DO, body, { ...options, headers })).status, body).toBe(200);
  expectFailure(await server.post(ECHO), 400, [{ field: 'name', issue: 'is required', code: 'required' }]);
});

test('answers 415 to another content type and to a compressed body', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])
    expectFailure(await server.post(ECHO, '{"name":"x"}', { headers: { 'content-type': type } }), 415);
  expectFailure(await server.post(ECHO, '{"name":"x"}', { headers: { 'content-encoding': 'gzip' } }), 415);
  const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
  expect((await server.post(ECHO, '{"name":"x"}', { headers })).status).toBe(200);
});

test('answers 413 to a body over the limit, with or without Content-Length', async () => {
  const body = JSON.stringify({ name: 'x', note: 'x'.repeat(256 * 1024) });
  expectFailure(await server.post(ECHO, body), 413);
  const stream = new Blob([body]).stream();
  const init = { method: 'POST', body: stream, headers: { 'content-type': 'application/json' }, duplex: 'half' };
  expectFailure(await server.request(ECHO, init as RequestInit), 413);
});

test('answers 404 to an unknown path, and 405 with the allowed method to another method', async () => {
  for (const path of ['/api/v1/nope', '/api', `${ECHO}/more`, '/%2e%2e/etc/passwd', '/favicon.ico'])
    expectFailure(await server.post(path, { any: 'thing' }), 404);
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await server.request(ECHO, { method });
    expectFailure(answer, 405);
    expect(answer.headers.get('allow')).toBe('POST');
  }
  const health = await server.post('/health/live');
  expect([health.status, health.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expectFailure(await server.request('/%zz'), 400);
});

test('accepts a base URL with an extra slash', async () => {
  for (const path of [`/${ECHO}`, `${ECHO}/`, `${ECHO}?x=1`])
    expect((await server.post(path, { name: 'x' })).status, path).toBe(200);
});

test('answers each error code with its status; 429 and 503 carry Retry-After', async () => {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  for (const code of codes) {
    const status = statusOf(code);
    const details = [fieldError('a.0', 'taken')];
    behaviour.handle = async () => {
      throw new AppError(code, 'No', { details, retryAfterSeconds: 7 });
    };
    const answer = await server.post(DO, {}, { token: alice.token });
    expectFailure(answer, status, details);
    expect(answer.body).toMatchObject({ error_code: code });
    expect(answer.headers.get('retry-after'), code).toBe(status === 429 || status === 503 ? '7' : null);
    expect(answer.headers.get('www-authenticate'), code).toBe(status === 401 ? 'Bearer' : null);
  }
});

test('answers a defect 500 without internals', async () => {
  const thrown = [
    new Error('select secret from users'),
    Object.assign(new Error('duplicate key'), { code: '23505' }),
    Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }),
    'a string',
    undefined,
  ];
  for (const error of thrown) {
    behaviour.handle = () => Promise.reject(error as Error);
    const answer = await server.post(DO, {}, { token: alice.token });
    expectFailure(answer, 500);
    expect(answer.text).not.toMatch(/secret|duplicate|no such|a string|\.ts/);
  }
});

test('answers 503 with Retry-After to every error of an unavailable database', async () => {
  const looks = [
    { code: 'ECONNREFUSED' },
    { code: 'ENOENT', syscall: 'connect' },
    { code: '57P01' },
    { code: '57P03' },
    { code: '53300' },
    { code: '08006' },
    { message: 'timeout exceeded when trying to connect', says: 'All database connections are in use just now' },
    { message: 'Connection terminated unexpectedly' },
    { code: '53100', says: 'The disk that the database is on is full' },
    { code: '57014', says: 'The database takes too long just now' },
    { code: '55P03', says: 'The database takes too long just now' },
    { code: '25P04', says: 'The database takes too long just now' },
  ];
  for (const look of looks) {
    behaviour.handle = () => Promise.reject(Object.assign(new Error(look.message ?? 'x'), look));
    const answer = await server.post(DO, {}, { token: alice.token });
    expectFailure(answer, 503);
    expect(answer.body).toMatchObject({ message: look.says ?? 'The database cannot be reached just now' });
    expect(answer.headers.get('retry-after')).toBe('5');
  }
});
