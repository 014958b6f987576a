import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { parseAnswer, rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ db: database.db });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

async function ask(request: string) {
  const raw = rawConnection(server.url);
  raw.send(request);
  const answer = parseAnswer(await raw.received((text) => text.includes('\r\n\r\n') && text.endsWith('}')));
  raw.socket.destroy();
  return answer;
}

async function expectFailure(request: string, code: number) {
  const answer = await ask(request);
  expect(answer.status).toBe(code);
  expect(answer.body).toEqual({
    error: true,
    status: 'error',
    code,
    error_code: expect.any(String),
    message: expect.any(String),
    details: [],
    data: null,
    request_id: answer.headers.get('x-request-id'),
  });
}

test('rejects an HTTP/1.1 request without a Host header in the envelope, and accepts one of HTTP/1.0', async () => {
  await expectFailure('GET /health/live HTTP/1.1\r\n\r\n', 400);
  expect((await ask('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
});

test('ignores an unknown Expect header', async () => {
  expect((await ask('GET /health/live HTTP/1.1\r\nhost: localhost\r\nexpect: a-miracle\r\n\r\n')).status).toBe(200);
});

test('rejects CONNECT: the service is no proxy', async () => {
  await expectFailure('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n', 400);
});

test('answers a missing page of the documentation 404 in the envelope', async () => {
  await expectFailure('GET /docs/static/nothing.js HTTP/1.1\r\nhost: localhost\r\n\r\n', 404);
});

test('closing does not wait for a client that never ends its half of the connection', async () => {
  const stubborn = await startTestServer({ db: database.db });
  const requests = [
    'NONSENSE\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'GET /health/live HTTP/1.0\r\n\r\n',
  ];
  const sockets = await Promise.all(requests.map((request) => holdOpen(stubborn.url, request)));
  await expect(stubborn.close()).resolves.toBeUndefined();
  for (const socket of sockets) socket.destroy();
});

/** Sends a request and, once it is answered, keeps its half of the connection open. */
function holdOpen(url: string, request: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => socket.destroy()).once('data', () => resolve(socket));
    socket.write(request);
  });
}

test('closes a silent connection and keeps one that is in use', async () => {
  const impatient = await startTestServer({ db: database.db, limits: { silentMs: 1_000 } });
  const [silent, used] = [rawConnection(impatient.url), rawConnection(impatient.url)];
  const drip = setInterval(() => used.send('x'), 100);
  used.send('GET /health/live HTTP/1.1\r\nx: ');
  expect(await silent.received()).toBe('');
  clearInterval(drip);
  used.send('\r\nhost: localhost\r\n\r\n');
  expect(await used.received((text) => text.includes('"ok"'))).toContain('200 OK');
  used.socket.destroy();
  await impatient.close();
});

test('closes the newest connection over the limit', async () => {
  const small = await startTestServer({ db: database.db, limits: { connections: 2 } });
  const request = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const sockets = [await holdOpen(small.url, request), await holdOpen(small.url, request)];
  const third = rawConnection(small.url);
  third.send(request);
  expect(await third.received()).toBe('');
  for (const socket of sockets) socket.destroy();
  await small.close();
});
