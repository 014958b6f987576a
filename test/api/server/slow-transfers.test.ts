/** Slow transfers: whatever their peer sends or takes slowly, others have their turn. Nothing here depends on how fast the machine is. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { parseAnswer, rawConnection, type RawConnection } from '../../support/http/raw.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { startFileHost, type FileHost } from '../../support/servers/file-host.ts';
import { defaultWorkspace, join } from '../../support/team.ts';
import { upload } from '../../support/upload.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const AT_ONCE = 16;
/** What is sent before a transfer becomes slow: enough for a permit, and for a row that reserves the id of a file. */
const BEGINNING = Buffer.alloc(512 * KIB, 'a');
const TRICKLE_MS = 100;
const LIMITS = {
  // Nobody is too slow while nobody waits.
  bodyPace: { bytesPerSecond: 1, graceMs: 3_600_000 },
  contendedPace: { bytesPerSecond: 16 * KIB, mostBytesPerSecond: MIB, doublingMs: 400, checkMs: 50 },
  files: AT_ONCE,
  longAnswers: 4,
  bigBodyWaitMs: 3_600_000,
};

let app: TestApp;
let host: FileHost;
let people: Person[];
let workspaces: string[];
let other: Person;
beforeAll(async () => {
  host = await startFileHost();
  const allowed = readAllowedHosts(['127.0.0.0/8']);
  if (!allowed) throw new Error('127.0.0.0/8 is no list of hosts');
  app = await startTestApp(
    { sandboxSpeed: 0, egress: { allowHttp: true, allowed, proxy: {} } },
    undefined,
    undefined,
    undefined,
    LIMITS,
  );
  people = [];
  for (let index = 0; index < 8; index++) people.push(await app.signUp(`slow-${index}`));
  workspaces = await Promise.all(people.map(defaultWorkspace));
  const [everywhere] = people;
  for (const [index, owner] of people.entries())
    if (everywhere && owner !== everywhere)
      await join(app, { owner, workspaceId: workspaces[index] ?? '', role: 'manager' }, everywhere);
  other = await app.signUp('other');
});
afterAll(async () => {
  await app.stop();
  await host.close();
});

let open: Socket[] = [];
let timers: NodeJS.Timeout[] = [];
afterEach(async () => {
  for (const timer of timers) clearInterval(timer);
  for (const socket of open) socket.destroy();
  [open, timers] = [[], []];
  await haveBegun(0);
});

/** Begins a request of that size. */
function begin({ token }: Person, path: string, { type, size, workspace }: Sent): RawConnection {
  const raw = rawConnection(app.url);
  open.push(raw.socket);
  raw.send(
    `POST /api/v1/${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n` +
      (workspace === undefined ? '' : `x-workspace: ${workspace}\r\n`) +
      `content-type: ${type}\r\ncontent-length: ${size}\r\n\r\n`,
  );
  return raw;
}
interface Sent {
  type: string;
  size: number;
  workspace?: string | undefined;
}

/** Begins a request whose body comes quickly at first, and then by the drop. */
function trickle(person: Person, path: string, sent: Sent): RawConnection {
  const raw = begin(person, path, sent);
  raw.send(BEGINNING);
  timers.push(setInterval(() => raw.send('a'), TRICKLE_MS));
  return raw;
}

/** The answers that have come by now. */
async function answersOf(connections: readonly RawConnection[]) {
  const texts = await Promise.all(connections.map(({ received }) => received(() => true)));
  return texts.filter((text) => text.includes('\r\n\r\n')).map(parseAnswer);
}

/** Resolves when so many uploads hold a permit: each has reserved an id. */
const haveBegun = (many: number) =>
  until(
    async () =>
      (await sql<{ count: number }>`select count(*)::int as count from media where mime = ''`.execute(app.database.db))
        .rows[0]?.count,
    (count) => count === many,
  );

/** Resolves when the server has read everything sent before: several later requests have been answered. */
async function haveArrived(): Promise<void> {
  for (let count = 0; count < 20; count++) await other.call('venom/list-drafts');
}

const file = () => Buffer.concat([PNG, randomBytes(300 * KIB)]);

test.for<[string, number, (index: number) => { person: Person | undefined; workspace?: string | undefined }]>([
  ['one person in one workspace', 2, () => ({ person: people[0] })],
  ['one person in eight workspaces', 2, (index) => ({ person: people[0], workspace: workspaces[index % 8] })],
  ['eight people', AT_ONCE, (index) => ({ person: people[index % 8] })],
])('sixteen uploads of %s that trickle stop neither an upload nor an import', async ([, begun, by]) => {
  const slow = Array.from({ length: AT_ONCE }, (_, index) => {
    const { person = other, workspace } = by(index);
    return trickle(person, 'media/upload', { type: 'text/plain', size: MIB, workspace });
  });
  await haveBegun(begun);
  host.answer((_path, response) => void response.writeHead(200).end(file()));
  const done = [
    upload(app.url, other.token, file()),
    other.call('media/import', { url: host.url }),
    upload(app.url, other.token, file()),
  ];
  expect((await Promise.all(done)).map(({ status }) => status)).toEqual([200, 200, 200]);
  const ended = await answersOf(slow);
  expect(ended.length).toBeLessThanOrEqual(AT_ONCE / 2);
  for (const { status, body } of ended) {
    expect(status).toBe(408);
    expect(body).toMatchObject({
      error_code: 'body_too_slow',
      message: expect.stringMatching(/^Others wait, and this transfer was the slowest: at least \d+ KiB a second/),
    });
  }
});

test('an upload takes no permit before its first piece has arrived', async () => {
  const slow = Array.from({ length: AT_ONCE }, (_, index) => {
    const raw = begin(people[index % 8] ?? other, 'media/upload', { type: 'text/plain', size: MIB });
    raw.send(Buffer.alloc(60 * KIB, 'a'));
    return raw;
  });
  await haveArrived();
  for (let index = 0; index < 4; index++) expect((await upload(app.url, other.token, file())).status).toBe(200);
  expect(await answersOf(slow)).toEqual([]);
});

test('an upload just above the minimum rate is accepted while nobody waits', async () => {
  const strict = await startTestApp({ sandboxSpeed: 0 }, app.database, undefined, undefined, {
    ...LIMITS,
    bodyPace: { bytesPerSecond: 16 * KIB, graceMs: 1_000 },
  });
  const size = 256 * KIB;
  const sent = randomBytes(size / 2).toString('hex');
  const { token } = other;
  const raw = rawConnection(strict.url);
  open.push(raw.socket);
  raw.send(
    `POST /api/v1/media/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: text/plain\r\ncontent-length: ${size}\r\n\r\n`,
  );
  // 20 KiB a second, for three times the grace after the first piece.
  raw.send(sent.slice(0, 192 * KIB));
  for (let at = 192 * KIB; at < size; at += 4 * KIB) {
    raw.send(sent.slice(at, at + 4 * KIB));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(parseAnswer(await raw.received((text) => text.endsWith('}'))).status).toBe(200);
  await strict.stop();
});

test('sixteen imports from a site that trickles stop no import', async () => {
  let asked = 0;
  host.answer((_path, response) => {
    asked++;
    if (response.socket) open.push(response.socket);
    response.writeHead(200, { 'content-length': MIB });
    response.write(file());
    timers.push(setInterval(() => response.write('a'), TRICKLE_MS));
  });
  const slow = Array.from({ length: AT_ONCE }, (_, index) =>
    people[index % 8]?.call('media/import', { url: host.url }),
  );
  await until(
    () => asked,
    (count) => count === AT_ONCE,
  );
  host.answer((_path, response) => void response.writeHead(200).end(file()));
  expect((await other.call('media/import', { url: host.url })).status).toBe(200);
  const first = await Promise.race(slow);
  expect(first?.status).toBe(400);
  expect(first?.body.message).toMatch(/^url gives its file too slowly\. Others wait/);
  for (const socket of open) socket.destroy();
  await Promise.all(slow);
});

test('large bodies that trickle do not stop another one', async () => {
  const slow = people
    .slice(0, 4)
    .map((person) => trickle(person, 'venom/add-campaign', { type: 'application/json', size: 26 * MIB }));
  await haveArrived();
  const answer = await other.call('venom/add-campaign', { name: 'x', html: 'x', image: 'A'.repeat(MIB) });
  expect(answer.status).toBe(400);
  const ended = await answersOf(slow);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 408));
  expect(ended.length).toBeLessThanOrEqual(2);
});

test.for([
  ['long answers', 'venom/get-media', 'venom/list-groups'],
  ['imports', 'media/import', 'media/import'],
] as const)('requests for %s take no permit before their body has arrived', async ([, path, asked]) => {
  host.answer((_path, response) => void response.writeHead(200).end(file()));
  const slow = Array.from({ length: AT_ONCE }, (_, index) => {
    const raw = begin(people[index % 8] ?? other, path, { type: 'application/json', size: 100 });
    raw.send('{');
    return raw;
  });
  await haveArrived();
  expect((await other.call(asked, asked === 'media/import' ? { url: host.url } : {})).status).toBe(200);
  expect(await answersOf(slow)).toEqual([]);
});

test('answers that are read slowly do not stop another one', async () => {
  const large = Buffer.concat([PNG, randomBytes(12 * MIB)]);
  const [reader = other] = people;
  const { sha256 } = (await upload(app.url, reader.token, large)).body.data;
  const body = JSON.stringify({ sha256 });
  const deaf = Array.from({ length: 4 }, () => {
    const raw = begin(reader, 'venom/get-media', { type: 'application/json', size: body.length });
    raw.socket.pause();
    raw.send(body);
    timers.push(
      setInterval(() => {
        raw.socket.resume();
        raw.socket.once('data', () => raw.socket.pause());
      }, 20 * TRICKLE_MS),
    );
    return raw;
  });
  let closed = 0;
  for (const { socket } of deaf) socket.once('close', () => closed++);
  await until(
    () => deaf.reduce((sum, { socket }) => sum + Math.min(1, socket.bytesRead), 0),
    (count) => count === 4,
  );
  expect((await upload(app.url, other.token, large)).status).toBe(200);
  const answer = await fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${other.token}` },
    body,
  });
  expect((await answer.arrayBuffer()).byteLength).toBe(large.length);
  // A client that is disconnected notices when it has read what came before.
  for (const { socket } of deaf) socket.resume();
  await until(
    () => closed,
    (count) => count > 0,
  );
});
