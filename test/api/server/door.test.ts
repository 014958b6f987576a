/** The door: whoever has many requests in flight waits first, whatever the requests are, and is rejected first. */
import { Agent, request as send, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDoor, DOOR_LIMITS } from '../../../src/api/server/door.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { probes } from '../../support/http/probes.ts';
import { rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/http/server.ts';
import { until } from '../../support/ledger.ts';
import { person, type Person } from '../../support/people.ts';

const IN_FLIGHT = 100;
/** Of the flood, before the request of another that was sent last: as many as half a millisecond takes, and one for each of its waits. */
const A_FEW = 50;
const NOW_MS = Date.now();

let database: TestDatabase;
let server: TestServer;
let flooder: Person;
let other: Person;
const started: TestServer[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

async function start(options: Partial<TestServerOptions> = {}): Promise<TestServer> {
  const settings = { trustedProxies: ['loopback'] };
  // Tokens that were looked up stay known: what is counted are turns.
  const clock = { nowMs: () => NOW_MS };
  const made = await startTestServer({ db: database.db, operations: probes({}), settings, clock, ...options });
  started.push(made);
  return made;
}

beforeAll(async () => {
  database = await createTestDatabase();
  server = await start();
  flooder = await person(server, 'flooder');
  other = await person(server, 'other');
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(started.map((one) => one.close()));
  await database.drop();
});

interface Sent {
  path?: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** Resolves to the answer, once it is there. */
function ask(url: string, { path = '/api/v1/probe/toil', method = 'POST', body = '{}', headers = {} }: Sent) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const type = body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) };
    send(`${url}${path}`, { method, agent, headers: { ...type, ...headers } }, (answer) => {
      answer.resume().once('end', () => resolve(answer));
    })
      .once('error', reject)
      .end(body);
  });
}

const call = async (url: string, sent: Sent) => (await ask(url, sent)).statusCode;

const as = ({ token }: { token: string }, more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  ...more,
});

/** Sends a flood, and behind it the request of another. Returns how many of the flood were answered before that, and all statuses. */
async function flood(of: (n: number) => Sent, { url } = server) {
  // All connections are open, and have their code compiled: what is counted are turns.
  await Promise.all(
    Array.from({ length: IN_FLIGHT + 1 }, () => call(url, { path: '/health/live', method: 'GET', body: '' })),
  );
  const ofOther = { headers: as(other, { 'x-forwarded-for': '192.0.2.99' }) };
  await Promise.all([ofOther, of(0), of(1), of(2), of(3), of(4)].map((one) => call(url, one)));
  let answered = 0;
  const all = Array.from({ length: IN_FLIGHT }, async (_, n) => {
    const status = await call(url, of(n));
    answered += 1;
    return status;
  });
  const status = await call(url, ofOther);
  const before = answered;
  return { before, status, statuses: new Set(await Promise.all(all)) };
}

const FROM = { 'x-forwarded-for': '192.0.2.1' };
const WRONG = JSON.stringify({ name: 'far too long for a name' });

describe(`serves another user beside ${IN_FLIGHT} requests in flight`, () => {
  test.each<[string, number, () => Sent]>([
    ['of one person', 200, () => ({ headers: as(flooder) })],
    [
      'of one person with a wrong field',
      400,
      () => ({ path: '/api/v1/probe/upload', body: '{"image":5}', headers: as(flooder) }),
    ],
    ['of one person that are no JSON', 400, () => ({ body: '{', headers: as(flooder) })],
    ['of one person without a body', 200, () => ({ body: '', headers: as(flooder) })],
    ['of one address without a token', 401, () => ({ headers: FROM })],
    ['of one address with a wrong token', 401, () => ({ headers: as({ token: 'no.such.token' }, FROM) })],
    ['of one address with a wrong field', 400, () => ({ path: '/api/v1/probe/echo', body: WRONG, headers: FROM })],
    ['of one address for no path', 404, () => ({ path: '/api/v1/nowhere', headers: FROM })],
    ['of one address with a wrong method', 405, () => ({ method: 'GET', body: '', headers: FROM })],
    [
      'of one address for the description',
      200,
      () => ({ path: '/openapi.json', method: 'GET', body: '', headers: FROM }),
    ],
    ['of one person with a wrong content type', 415, () => ({ headers: as(flooder, { 'content-type': 'text/csv' }) })],
  ])('%s', async (_of, expected, sent) => {
    const { before, status, statuses } = await flood(sent);
    expect(status).toBe(200);
    expect(statuses).toEqual(new Set([expected]));
    expect(before).toBeLessThan(A_FEW);
  });

  test('of one person in five workspaces', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const owners = await Promise.all(names.map((name) => person(server, `in-many-${name}`)));
    const workspaces = await Promise.all(owners.map((owner) => invite(owner, flooder)));
    const { before, statuses } = await flood((n) => ({
      headers: as(flooder, { 'x-workspace': workspaces[n % 4] ?? '' }),
    }));
    expect(statuses).toEqual(new Set([200]));
    expect(before).toBeLessThan(A_FEW);
  });

  test('of five members of one workspace', async () => {
    const owner = await person(server, 'of-many');
    const members = await Promise.all(['a', 'b', 'c', 'd'].map((name) => person(server, `member-${name}`)));
    const workspaces: string[] = [];
    for (const member of members) workspaces.push(await invite(owner, member));
    const all = [owner, ...members];
    const headers = (n: number) => as(all[n % 5] ?? owner, { 'x-workspace': workspaces[0] ?? '' });
    const { before, statuses } = await flood((n) => ({ headers: headers(n) }));
    expect(statuses).toEqual(new Set([200]));
    expect(before).toBeLessThan(A_FEW);
  });
});

/** Makes a person a member. Returns the id of the workspace. */
async function invite(owner: Person, member: Person): Promise<string> {
  const invited = await server.post('/api/v1/workspace/invite-member', { role: 'manager' }, owner);
  const { code } = (invited.body as { data: { code: string } }).data;
  const joined = await server.post('/api/v1/workspace/accept-invitation', { code }, member);
  return String((joined.body as { data: { workspace_id: number } }).data.workspace_id);
}

test('load shedding: rejects the party with most waiters and nobody else, and health answers', async () => {
  const small = await start({ limits: { door: { maxWaiting: 20, maxWaitMs: 60_000 } } });
  const { url } = small;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, () => call(url, { path: '/health/live', method: 'GET', body: '' })),
  );
  const all = Array.from({ length: IN_FLIGHT }, () => ask(url, { headers: as(flooder) }));
  const others = Array.from({ length: 5 }, () => call(url, { headers: as(other) }));
  const ready = call(url, { path: '/health/ready', method: 'GET', body: '' });
  expect(await Promise.all(others)).toEqual(Array.from({ length: 5 }, () => 200));
  expect(await ready).toBe(200);
  const answers = await Promise.all(all);
  const rejected = answers.filter(({ statusCode }) => statusCode === 503);
  expect(rejected.length).toBeGreaterThan(0);
  expect(new Set(rejected.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['5']));
  expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThanOrEqual(15);
  const { text } = await small.request('/metrics');
  expect(text).toMatch(/campanile_shed_requests_total\{reason="event_loop"\} [1-9]/);
});

test('a body that never ends, and a handler that waits, hold no turn', async () => {
  const held = Promise.withResolvers<void>();
  let waiting = 0;
  const handle = () => {
    waiting += 1;
    return held.promise;
  };
  const patient = await start({
    operations: probes({ handle }),
    limits: { bodyPace: { bytesPerSecond: 1, graceMs: 3_600_000 } },
  });
  const slow = Array.from({ length: 5 }, () => {
    const connection = rawConnection(patient.url);
    connection.send(
      `POST /api/v1/probe/toil HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${flooder.token}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
    );
    return connection;
  });
  const inHand = Array.from({ length: 20 }, () =>
    call(patient.url, { path: '/api/v1/probe/do', headers: as(flooder) }),
  );
  await until(
    async () => waiting,
    (now) => now === inHand.length,
  );
  expect(await call(patient.url, { headers: as(flooder) })).toBe(200);
  expect(await call(patient.url, { headers: as(other) })).toBe(200);
  held.resolve();
  expect(new Set(await Promise.all(inHand))).toEqual(new Set([200]));
  for (const { socket } of slow) socket.destroy();
});

test('clients that read no answer hold no turn', async () => {
  const stalled = Array.from({ length: 20 }, () => {
    const connection = rawConnection(server.url);
    connection.socket.pause();
    connection.send('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return connection;
  });
  expect(await call(server.url, { path: '/openapi.json', method: 'GET', body: '' })).toBe(200);
  for (const { socket } of stalled) socket.destroy();
});

/** Returns how many dear answers one party has got by the time that another has had so many cheap turns. */
async function countDear(rounds: number): Promise<number> {
  const door = createDoor(DOOR_LIMITS);
  const requestOf = (address: string) => ({ ip: address, caller: null }) as unknown as FastifyRequest;
  const pass = (request: FastifyRequest) => new Promise<void>((resolve) => void door.pass(request, () => resolve()));
  const spin = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  let answered = 0;
  const over = new AbortController();
  async function ask(): Promise<void> {
    const request = requestOf('192.0.2.1');
    while (!over.signal.aborted) {
      await pass(request);
      await setImmediate();
      door.answer(request, () => spin(4));
      answered += 1;
    }
  }
  const asking = Array.from({ length: 20 }, ask);
  for (let round = 0; round < rounds; round++) {
    await pass(requestOf('192.0.2.2'));
    spin(1);
    await setImmediate();
  }
  const meanwhile = answered;
  over.abort();
  await Promise.all(asking);
  return meanwhile;
}

test('a party whose answers are dear waits as long for the next turn as one whose requests are', async () => {
  const rounds = 60;
  // While the processor serves other processes, the other party pays for their time.
  const counts = [await countDear(rounds), await countDear(rounds), await countDear(rounds)];
  expect(Math.min(...counts)).toBeLessThan(rounds / 2);
});
