/**
 * Malformed traffic below HTTP: requests cut off, garbled, in pieces, slow, many at once. Seeded as `test/contract/fuzz.slow.test.ts` is.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../src/api/contract/envelope.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person } from '../support/people.ts';
import { parseAnswers, rawConnection, type RawAnswer } from '../support/http/raw.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runs } from '../support/runs.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const RUNS = runs(25) * 12;

let database: TestDatabase;
let server: TestServer;
/** Has a short timeout for requests. */
let impatient: TestServer;
let token: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const limits = { requestTimeoutMs: 600, headersTimeoutMs: 600, timeoutCheckMs: 50 };
  server = await startTestServer({ db: database.db });
  impatient = await startTestServer({ db: database.db, limits });
  ({ token } = await person(server, 'alice'));
});
afterAll(async () => {
  await server.close();
  await impatient.close();
  await database.drop();
});
// After every test, the server still answers a good request.
afterEach(async () => {
  const { status, text } = await server.post('/api/v1/user/get_profile', {}, { token });
  if (status !== 200) throw new Error(`the next request is answered ${status} ${text}`);
});

const PATH = '/api/v1/user/get_profile';

function write({
  method = 'POST',
  path = PATH,
  version = 'HTTP/1.1',
  headers = {},
  body = '{}',
}: {
  method?: string;
  path?: string;
  version?: string;
  headers?: Record<string, string>;
  body?: string;
} = {}): string {
  const fields = {
    host: 'localhost',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} ${version}\r\n${lines.join('')}\r\n${body}`;
}

interface Manner {
  /** Milliseconds between the pieces. */
  pauseMs?: number;
  /** Number of answers after which the client disconnects; without it the service must end the connection. */
  until?: number;
  /** Ends the client's half after the last piece. (Node.js then sends only answers that are ready at once.) */
  end?: boolean;
  /** Default is `server`. */
  to?: TestServer;
}

/** Sends the pieces and resolves to all answers received. */
async function exchange(
  pieces: Array<string | Uint8Array>,
  { pauseMs = 0, until, end = false, to = server }: Manner = {},
) {
  const raw = rawConnection(to.url);
  const heads = new Set(String(pieces[0]).startsWith('HEAD') ? [0] : []);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    raw.socket.destroy();
  }, PATIENCE_MS);
  for (const piece of pieces) {
    raw.send(piece);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  if (end) raw.socket.end();
  const text = await raw.received((all) => until !== undefined && parseAnswers(all, heads).length >= until);
  clearTimeout(timer);
  raw.socket.destroy();
  expect(isLate, `nothing more came after ${text}`).toBe(false);
  return parseAnswers(text, heads);
}

function expectSound(answers: RawAnswer[]) {
  for (const { status, headers, body } of answers) {
    expect(headers.get('x-request-id')?.trim()).toMatch(/^[0-9a-f-]{36}$/);
    expect(status).toBeLessThan(500);
    const isRefusal = status >= 400 && body !== '';
    const told = isRefusal ? failure.strict().parse(JSON.parse(body)) : { code: status };
    expect(told.code).toBe(status);
  }
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(ids.length);
}

const chunked = { 'transfer-encoding': 'chunked' };
const NO_LENGTH = /content-length: \d+\r\n/;
const inChunks = (...chunks: string[]) =>
  write({ headers: chunked, body: '' }).replace(NO_LENGTH, '') +
  chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');

describe('serves a request that arrives', () => {
  test.each<[what: string, pieces: () => Array<string | Uint8Array>, pauseMs?: number]>([
    ['whole', () => [write()]],
    ['byte by byte', () => write().match(/[^]/g) ?? []],
    ['in slow pieces', () => write().match(/[^]{1,60}/g) ?? [], 20],
    ['in one chunk', () => [`${inChunks('{}')}0\r\n\r\n`]],
    ['in many chunks', () => [`${inChunks('{', '"a"', ':', '1', '}')}0\r\n\r\n`]],
    ['in chunks with extensions and trailers', () => [`${inChunks()}2;a=b\r\n{}\r\n0\r\nx-trailer: y\r\n\r\n`]],
    ['without a body', () => [write({ body: '' })]],
    ['by HTTP/1.0', () => [write({ version: 'HTTP/1.0' })]],
    ['to an absolute target', () => [write({ path: `http://elsewhere.example${PATH}` })]],
    ['with Expect: 100-continue', () => [write({ headers: { expect: '100-continue' } })]],
    ['with an unknown upgrade', () => [write({ headers: { connection: 'upgrade', upgrade: 'websocket' } })]],
    ['with a hundred headers', () => [write({ headers: named(100, 'x'.repeat(80)) })]],
    ['after an empty line', () => [`\r\n${write()}`]],
  ])('%s', async (_what, pieces, pauseMs = 0) => {
    const answers = await exchange(pieces(), { pauseMs, until: 1 });
    expectSound(answers);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  test('pipelined, with answers in the same order', async () => {
    const paths = [PATH, '/nowhere', PATH, '/api/v1/user/authorize_user', PATH, '/health/live', PATH];
    const answers = await exchange([paths.map((path) => write({ path })).join('')], { until: paths.length });
    expectSound(answers);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 400, 200, 405, 200]);
  });
});

const named = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]));

describe('rejects a request that', () => {
  test.each<[what: string, request: () => string | Uint8Array, status: number]>([
    ['has an unknown method', () => write({ method: 'BREW' }), 400],
    ['has the method CONNECT', () => write({ method: 'CONNECT', path: 'x:80' }), 400],
    ['has the method PROPFIND', () => write({ method: 'PROPFIND' }), 405],
    ['has the method TRACE', () => write({ method: 'TRACE', body: '' }), 405],
    ['has the method HEAD', () => write({ method: 'HEAD', body: '' }), 405],
    ['asks for options of everything', () => write({ method: 'OPTIONS', path: '*' }), 404],
    ['is of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['is of HTTP/3.7', () => write({ version: 'HTTP/3.7' }), 400],
    ['is a TLS ClientHello', () => Buffer.from('1603010200010001fc0303', 'hex'), 400],
    ['names no host', () => write().replace('host: localhost\r\n', ''), 400],
    ['has a path that cannot be decoded', () => write({ path: '/api/%zz' }), 400],
    ['has NUL in its path', () => write({ path: '/api/\0' }), 400],
    ['has a path of 10,000 characters', () => write({ path: `/${'a'.repeat(10_000)}` }), 404],
    ['has too long a header', () => write({ headers: { x: 'x'.repeat(20_000) } }), 431],
    ['has too many headers', () => write({ headers: named(2_000, 'x') }), 431],
    ['folds a header', () => write({ headers: { x: 'a\r\n b' } }), 400],
    ['has NUL in a header', () => write({ headers: { x: 'a\0b' } }), 400],
    ['announces a negative length', () => write({ headers: { 'content-length': '-1' } }), 400],
    ['announces an endless length', () => write({ headers: { 'content-length': '9'.repeat(25) } }), 400],
    ['announces two lengths', () => write({ headers: { 'Content-Length': '3' } }), 400],
    ['announces length and chunks', () => write({ headers: chunked }), 400],
    ['announces 1 GB', () => write({ headers: { 'content-length': '1073741824' } }), 413],
    ['announces less than it sends', () => write({ body: '{}{}', headers: { 'content-length': '1' } }), 400],
    ['lies about a chunk', () => `${inChunks()}2\r\n{}{}\r\n0\r\n\r\n`, 400],
    ['has a chunk of no length', () => `${inChunks()}zz\r\n{}\r\n0\r\n\r\n`, 400],
    ['is compressed', () => compressed('gzip'), 415],
    ['has an unknown content encoding', () => write({ headers: { 'content-encoding': 'br, x' } }), 415],
    ['has an unknown transfer encoding', () => write({ headers: { 'transfer-encoding': 'gzip' } }), 400],
    ['has a malformed content type', () => write({ headers: { 'content-type': ';;;' } }), 415],
    ['has no content type', () => write().replace(/content-type: .*\r\n/, ''), 415],
  ])('%s', async (_what, request, status) => {
    const answers = await exchange([request()], { until: 1 });
    expectSound(answers);
    expect(answers[0]?.status).toBe(status);
  });

  test.each([
    ['its headers', () => write().slice(0, 60)],
    ['the body that it announced', () => write({ headers: { 'content-length': '50' } })],
    ['a chunk', () => `${inChunks()}50\r\n{"a":`],
  ])('ends within %s', async (_where, request) => {
    const answers = await exchange([request()], { end: true });
    expectSound(answers);
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  test('never finishes its headers or its body', async () => {
    for (const pieces of [
      [write().slice(0, 50)],
      [write({ headers: { 'content-length': '50' } })],
      [`${inChunks('{')}`],
      [''],
      ['\r\n'.repeat(500)],
    ]) {
      const answers = await exchange(pieces, { to: impatient });
      expectSound(answers);
      expect(answers.map(({ status }) => status)).toEqual([408]);
    }
  });

  test('arrives a header at a time until the timeout (slowloris)', async () => {
    const drops = Array.from({ length: 60 }, () => 'x-drop: y\r\n');
    const answers = await exchange([`POST ${PATH} HTTP/1.1\r\nhost: localhost\r\n`, ...drops], {
      pauseMs: 20,
      to: impatient,
    });
    expect(answers.map(({ status }) => status)).toEqual([408]);
  });
});

function compressed(encoding: string): Uint8Array {
  const body = gzipSync('{}');
  const head = write({ headers: { 'content-encoding': encoding, 'content-length': String(body.length) }, body: '' });
  return Buffer.concat([Buffer.from(head), body]);
}

/** One or several good requests, corrupted. */
const spoilt = fc
  .tuple(
    fc.constantFrom(
      () => write(),
      () => write() + write({ path: '/health/live', method: 'GET', body: '' }) + write(),
      () => `${inChunks('{', '}')}0\r\n\r\n`,
      () => write({ path: '/api/v1/user/authorize_user', body: '{"user_name":"x","password":"x"}' }),
      () => write({ path: '/docs/static/swagger-ui.css', method: 'GET', body: '' }),
    ),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        kind: fc.constantFrom('cut', 'flip', 'insert', 'double', 'drop'),
        byte: fc.oneof(fc.constantFrom(0, 9, 10, 13, 32, 44, 45, 48, 58, 59), fc.nat(255)),
      }),
      { maxLength: 4 },
    ),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  )
  .map(
    ([request, damages, cuts]) =>
      () =>
        inPieces(damages.reduce(damage, Buffer.from(request(), 'latin1')), cuts),
  );

function damage(bytes: Buffer, { at, kind, byte }: { at: number; kind: string; byte: number }): Buffer {
  const place = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (kind) {
    case 'cut':
      return Buffer.from(before);
    case 'flip':
      return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
    case 'insert':
      return Buffer.concat([before, Buffer.from([byte]), after]);
    case 'double':
      return Buffer.concat([before, after.subarray(0, 40), after]);
    default:
      return Buffer.concat([before, after.subarray(byte)]);
  }
}

function inPieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

test(`fuzzing: ${RUNS} corrupted requests of seed ${SEED} get valid answers or none, and every connection ends`, async () => {
  const property = fc.asyncProperty(spoilt, async (pieces) => {
    expectSound(await exchange(pieces(), { end: true }));
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
});

test('serves others while a hundred clients disconnect in the middle of a request', async () => {
  const leavers = Array.from({ length: 100 }, async (_, index) => {
    const raw = rawConnection(server.url);
    raw.send(write({ headers: { 'content-length': '200000' }, body: 'x'.repeat(index * 500) }));
    await sleep(index % 10);
    raw.socket.destroy();
    await raw.received();
  });
  const others = Array.from({ length: 50 }, () => server.post(PATH, {}, { token }));
  await Promise.all(leavers);
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
});
