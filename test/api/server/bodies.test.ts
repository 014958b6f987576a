import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { parseAnswer, rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({
    db: database.db,
    operations: probes({}),
    limits: { requestTimeoutMs: 1_000, headersTimeoutMs: 1_000, timeoutCheckMs: 100 },
  });
  ({ token } = await person(server, 'alice'));
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const ECHO = '/api/v1/probe/echo';

test('rejects NUL and lone surrogates at any depth and names the field', async () => {
  const cases: Array<[string, string]> = [
    ['{"name":"a\\u0000b"}', 'name'],
    ['{"name":"x","ignored":{"deep":[1,{"k":"\\u0000"}]}}', 'ignored.deep.1.k'],
    ['{"name":"x","note":"\\ud83d"}', 'note'],
    ['{"name":"x","note":"\\ude00\\ud83d"}', 'note'],
  ];
  for (const [body, field] of cases) {
    const answer = await server.post(ECHO, body);
    expect(answer.body, body).toMatchObject({ code: 400, details: [{ field }] });
  }
  const fine = await server.post(ECHO, '{"name":"x","note":"\\ud83d\\ude00 \\u00e9 \\\\u0000"}');
  expect(fine.body).toMatchObject({ data: { note: '😀 é \\u0000' } });
});

test('answers prototype pollution, deep nesting and numbers out of range without a defect', async () => {
  const odd = [
    '{"__proto__":{"name":"x"}}',
    '{"constructor":{"prototype":{"name":"x"}}}',
    '['.repeat(200_000),
    `{"name":"x","ids":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `{"name":"x","\\u0041":${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}}`,
    '{"name":"x","count":1e999}',
    '{"name":"x","count":-0.5}',
  ];
  for (const body of odd) {
    const answer = await server.post(ECHO, body);
    expect(answer.status, body.slice(0, 40)).toBe(400);
  }
  const harmless = await server.post(ECHO, '{"name":"a","__proto__":{"note":"x"},"name":"b"}');
  expect(harmless.body).toMatchObject({ data: { name: 'b', note: null } });
  const unread = await server.post(ECHO, `{"name":"x","unknown":${'['.repeat(900)}${']'.repeat(900)}}`);
  expect(unread.status).toBe(200);
  expect((await server.post(ECHO, '\ufeff{"name":"x"}')).status).toBe(200);
});

test('rejects megabytes of brackets before parsing', async () => {
  const answer = await server.post('/api/v1/probe/upload', `{"image":${'['.repeat(1_900_000)}`, { token });
  expect(answer.body).toMatchObject({ code: 400, message: expect.stringContaining('too many parts') });
});

test('names twenty problems and counts the rest of them', async () => {
  const ids = Array.from({ length: 21 }, () => 'x');
  const scopes = await server.post('/api/v1/probe/many', { ids, other: ids }, { token });
  expect(scopes.body).toMatchObject({ code: 400, details: { length: 20 }, more_details: 22 });
  const few = await server.post('/api/v1/probe/many', { ids: ids.slice(1), other: [] }, { token });
  expect(few.body).toMatchObject({ details: { length: 20 } });
  expect(few.body).not.toHaveProperty('more_details');
});

test('parses a big body in a thread, and a smaller one without', async () => {
  const threads: unknown[] = [];
  const note = (thread: unknown) => void threads.push(thread);
  const fresh = await startTestServer({ db: database.db, operations: probes({}) });
  process.on('worker', note);
  try {
    const post = (image: string) => fresh.post('/api/v1/probe/upload', `{"image":"${image}"}`, { token });
    expect(await post('\\/'.repeat(100_000))).toMatchObject({ status: 200, body: { data: { length: 100_000 } } });
    expect(threads).toEqual([]);
    expect(await post('\\/'.repeat(200_000))).toMatchObject({ status: 200, body: { data: { length: 200_000 } } });
    expect(await post(`${'\\/'.repeat(200_000)}\\`)).toMatchObject({
      status: 400,
      body: { error_code: 'body_not_json', message: 'The body is not JSON: line 1 column 400014: Unterminated string' },
    });
    expect(threads).toHaveLength(1);
  } finally {
    process.off('worker', note);
    await fresh.close();
  }
});

test('takes a body with as many parts as its fields can have', async () => {
  const ids = Array.from({ length: 500 }, (_, at) => at);
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 0]));
  const most = await server.post('/api/v1/probe/many', { ids, other: ids, ...unknown(990) }, { token });
  expect(most.status).toBe(200);
  const more = await server.post('/api/v1/probe/many', { ids, other: ids, ...unknown(1_010) }, { token });
  expect(more.body).toMatchObject({ code: 400, message: expect.stringContaining('too many parts') });
});

test('does not take signs within strings for parts', async () => {
  const note = String.raw`{"a":[,\",{:[`.repeat(500).replace(/\*$/, '');
  const answer = await server.post(ECHO, { name: 'x', note });
  expect(answer.body).toMatchObject({ code: 200, data: { note } });
});

test('rejects a request without a token before reading its body', async () => {
  const length = 50 * 1024 * 1024;
  const raw = rawConnection(server.url);
  raw.send(
    `POST /api/v1/probe/do HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const answer = parseAnswer(await raw.received((text) => text.includes('request_id')));
  raw.socket.destroy();
  expect(answer.status).toBe(401);
  expect((await server.post('/api/v1/probe/do', 'x'.repeat(1024 * 1024))).status).toBe(401);
});

test('keeps serving a connection after rejected requests', async () => {
  const raw = rawConnection(server.url);
  const post = (path: string, body: string) =>
    raw.send(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g) ?? [];
  post('/api/v1/probe/do', 'x'.repeat(300_000));
  await raw.received((text) => answers(text).length === 1);
  post(ECHO, 'x'.repeat(300_000));
  await raw.received((text) => answers(text).length === 2);
  post(ECHO, '{"bad json');
  await raw.received((text) => answers(text).length === 3);
  post('/nowhere', '{}');
  await raw.received((text) => answers(text).length === 4);
  post(ECHO, '{"name":"x"}');
  const text = await raw.received((all) => answers(all).length === 5);
  raw.socket.destroy();
  expect(answers(text).map((line) => line.slice(-3))).toEqual(['401', '413', '400', '404', '200']);
});

test('answers requests that Node.js cannot parse in the envelope, too', async () => {
  const cases: Array<[string, number]> = [
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nhost: localhost\r\n', 408],
    [
      'POST /api/v1/probe/echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
      408,
    ],
  ];
  await Promise.all(
    cases.map(async ([request, status]) => {
      const raw = rawConnection(server.url);
      raw.send(request);
      const answer = parseAnswer(await raw.received());
      expect(answer.status, request.slice(0, 40)).toBe(status);
      expect(answer.body).toMatchObject({ error: true, code: status, request_id: answer.headers.get('x-request-id') });
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }),
  );
});
