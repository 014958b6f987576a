import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { person, type Person } from '../../support/people.ts';
import { probes } from '../../support/http/probes.ts';
import { dribble, parseAnswer, rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

const BIG = 400_000;
const GRACE_MS = 1_000;
/** Room for three big bodies. */
const BUDGET_BYTES = 3.5 * BIG;
const UPLOAD = '/api/v1/probe/upload';

let database: TestDatabase;
let server: TestServer;
let people: Person[];

/** By default, bodies stay in the queue for as long as it takes. */
const start = ({ bigBodyWaitMs = 3_600_000, graceMs = GRACE_MS } = {}) =>
  startTestServer({
    db: database.db,
    operations: probes({ uploading }),
    limits: {
      bigBodiesBytes: BUDGET_BYTES,
      bigBodyWaitMs,
      bodyPace: { bytesPerSecond: 16 * 1024, graceMs },
    },
  });

beforeAll(async () => {
  database = await createTestDatabase();
  server = await start();
  people = await Promise.all(['alice', 'bob', 'carol', 'dave'].map((name) => person(server, name)));
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

/** The uploads being processed, all processed so far in order, and the most processed at once. */
let underWay: Array<{ userId: number; image: string }>;
let seen: string[];
let busiest: number;
let gate: Promise<void>;
beforeEach(() => {
  underWay = [];
  seen = [];
  busiest = 0;
  gate = Promise.resolve();
});

async function uploading(image: string, userId: number): Promise<void> {
  const work = { userId, image };
  underWay.push(work);
  seen.push(image.trim());
  busiest = Math.max(busiest, underWay.length);
  await gate;
  await sleep(20);
  underWay.splice(underWay.indexOf(work), 1);
}

/** Blocks processing until the returned function is called. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
}

const beingWorkedOn = (many: number) =>
  until(
    () => underWay.length,
    (count) => count === many,
  );

/** Resolves when the server has read everything sent before: several later requests have been answered. */
async function haveRead({ token }: Person, by = server): Promise<void> {
  for (let count = 0; count < 20; count++) await by.post('/api/v1/probe/echo', {}, { token });
}

const bodyOf = (image: string, bytes = BIG) => JSON.stringify({ image: image.padEnd(bytes - 12) });
const upload = ({ token }: Person, image = 'x', to = server) => to.post(UPLOAD, bodyOf(image), { token });

/** Starts an upload and sends only its headers. */
function beginUpload({ token }: Person, to = server) {
  const raw = rawConnection(to.url);
  raw.send(
    `POST ${UPLOAD} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${BIG}\r\n\r\n`,
  );
  return raw;
}

/** Returns the users by name. */
function everybody(): [alice: Person, bob: Person, carol: Person, dave: Person] {
  const [alice, bob, carol, dave] = people;
  if (!alice || !bob || !carol || !dave) throw new Error('somebody is missing');
  return [alice, bob, carol, dave];
}

test('holds few big bodies in memory at once, one per user; queues other big bodies, and never small ones', async () => {
  const [alice] = everybody();
  const ofOne = Promise.all(Array.from({ length: 4 }, () => upload(alice)));
  const small = server.post(UPLOAD, { image: 'x' }, { token: alice.token });
  expect(await Promise.race([small, ofOne])).toMatchObject({ status: 200 });
  expect((await ofOne).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // The small one beside it.
  expect(busiest).toBeLessThanOrEqual(2);
  busiest = 0;
  const open = closeGate();
  const ofAll = Promise.all([...people, ...people].map((one) => upload(one)));
  await beingWorkedOn(3);
  await haveRead(alice);
  open();
  expect((await ofAll).every(({ status }) => status === 200)).toBe(true);
  expect(busiest).toBe(3);
});

test('slowloris: answers 408 to two uploads of a drop at a time, which delay no other upload', async () => {
  const [alice, bob, carol] = everybody();
  const patient = await start({ graceMs: 3_600_000 });
  const open = [alice, bob].map((one) => beginUpload(one, patient));
  for (const raw of open) raw.send('{');
  await haveRead(alice, patient);
  expect((await upload(carol, 'x', patient)).status).toBe(200);
  for (const raw of open) raw.socket.destroy();
  await patient.close();
  const dribblers = [alice, bob].map(({ token }) =>
    dribble(server.url, token, { path: 'probe/upload', announced: BIG, everyMs: GRACE_MS / 3 }),
  );
  for (const { status, headers, body } of await Promise.all(dribblers)) {
    expect(status).toBe(408);
    expect(headers.get('connection')?.trim()).toBe('close');
    expect(body).toMatchObject({
      error: true,
      code: 408,
      message: 'The body was sent too slowly: at least 16 KiB a second are required',
    });
  }
  expect((await upload(alice)).status).toBe(200);
});

test('answers 408 to a small body that never arrives, before authentication, too', async () => {
  const raw = rawConnection(server.url);
  raw.send(
    'POST /api/v1/probe/echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
  );
  expect(parseAnswer(await raw.received()).status).toBe(408);
});

test('accepts a slow upload that stays above the minimum rate', async () => {
  const [alice] = everybody();
  const raw = beginUpload(alice);
  const body = bodyOf('slow');
  // Three seconds, three times the grace.
  for (let at = 0; at < BIG; at += BIG / 15) {
    raw.send(body.slice(at, at + BIG / 15));
    await sleep(200);
  }
  const text = await raw.received((all) => all.endsWith('}'));
  raw.socket.destroy();
  expect(parseAnswer(text).status).toBe(200);
});

test('answers 408 to an upload that starts fast and then drops below the minimum rate', async () => {
  const [alice] = everybody();
  const raw = beginUpload(alice);
  // Enough for 24 s, and so for 72 drops, were the whole of it counted.
  raw.send(bodyOf('fast').slice(0, BIG - 100));
  let dropped = 0;
  const drops = setInterval(() => {
    dropped++;
    raw.send(' ');
  }, GRACE_MS / 3);
  const answer = parseAnswer(await raw.received());
  clearInterval(drops);
  expect(answer.status).toBe(408);
  expect(dropped).toBeLessThan(36);
});

test('fair queue: the single upload of one user does not wait behind the many of others', async () => {
  const [alice, bob, carol, dave] = everybody();
  const open = closeGate();
  const many = [alice, bob, carol].flatMap((one, index) =>
    Array.from({ length: 4 }, (_, time) => upload(one, `${index} ${time}`)),
  );
  await beingWorkedOn(3);
  await haveRead(alice);
  const single = upload(dave, 'single');
  await haveRead(dave);
  open();
  expect((await single).status).toBe(200);
  await Promise.all(many);
  // The three that were there, and those that were let in together with it.
  expect(seen.indexOf('single')).toBeLessThanOrEqual(5);
});

test('does not count time in the queue against the minimum rate', async () => {
  const [alice] = everybody();
  const open = closeGate();
  const first = upload(alice);
  await beingWorkedOn(1);
  const raw = beginUpload(alice);
  const body = bodyOf('second');
  // More than its first piece, so that it stands in the queue.
  raw.send(body.slice(0, BIG - 1));
  await sleep(GRACE_MS * 1.5);
  expect(await Promise.race([raw.received(), 'waiting'])).toBe('waiting');
  open();
  await first;
  raw.send(body.slice(BIG - 1));
  const text = await raw.received((all) => all.endsWith('}'));
  raw.socket.destroy();
  expect(parseAnswer(text).status).toBe(200);
});

test('answers 503 with Retry-After after too long in the queue, and frees the slot of a client that disconnects', async () => {
  const [alice] = everybody();
  const impatient = await start({ bigBodyWaitMs: 200 });
  const open = closeGate();
  const first = upload(alice, 'first', impatient);
  await beingWorkedOn(1);
  const late = await upload(alice, 'late', impatient);
  expect(late.status).toBe(503);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  open();
  await first;
  await impatient.close();
  const leaver = beginUpload(alice);
  await sleep(50);
  leaver.socket.destroy();
  expect((await upload(alice)).status).toBe(200);
});

test('keeps the slot of a request that is still being processed after its client has disconnected', async () => {
  const [alice] = everybody();
  const open = closeGate();
  const leaver = beginUpload(alice);
  leaver.send(bodyOf('left'));
  await beingWorkedOn(1);
  leaver.socket.destroy();
  const next = upload(alice, 'next');
  await sleep(200);
  expect(underWay).toHaveLength(1);
  open();
  expect((await next).status).toBe(200);
  expect(busiest).toBe(1);
});

test('accepts a big body without Content-Length', async () => {
  const [alice] = everybody();
  const stream: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: new Blob([bodyOf('in pieces')]).stream(),
    duplex: 'half',
  };
  expect((await server.request(UPLOAD, stream)).status).toBe(200);
  expect(seen).toEqual(['in pieces']);
});

test('reads a big body as JSON.parse would, however it is written; the last of repeated fields counts', async () => {
  const [alice] = everybody();
  const pad = ' '.repeat(BIG);
  const long = `${'AB/+'.repeat(BIG / 4)}==`;
  const cases: Array<[body: string, image: string]> = [
    [`{"image":${JSON.stringify(long)}}`, long],
    [`${pad}{"x":"\\"image\\":\\"no\\"","image" \n:\t${JSON.stringify(long)},"after":{"image":"no"}}`, long],
    [`{"image":"${long.replaceAll('/', '\\/')}"}`, long],
    [`{"image":"${long.replaceAll('AB', 'AB\\r\\n')}"}`, long.replaceAll('AB', 'AB\r\n')],
    [`{"image":"${long}","image":"BBBB"}`, 'BBBB'],
    [`{"image":"${long}","im\\u0061ge":"BBBB"}`, 'BBBB'],
  ];
  for (const [body, image] of cases) {
    seen = [];
    expect((await server.post(UPLOAD, body, { token: alice.token })).status, body.slice(0, 60)).toBe(200);
    expect(seen[0] === image, body.slice(0, 60)).toBe(true);
  }
  for (const body of [`{"image":"${long}`, `{"image":"${long}"`, `"image":"${long}"`, `{"image":"${long}"}}`])
    expect((await server.post(UPLOAD, body, { token: alice.token })).body).toMatchObject({
      code: 400,
      message: expect.stringMatching(/^The body is not JSON: /) as string,
    });
});
