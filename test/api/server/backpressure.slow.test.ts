/** Backpressure: clients that request files and do not read the answer. */
import { randomBytes, createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import type { TestDatabase } from '../../support/database.ts';
import { rawConnection, type RawConnection } from '../../support/http/raw.ts';
import { PNG } from '../../support/inputs/sample-files.ts';

const MIB = 1024 * 1024;
const UNREAD_MS = 4_000;
const file = Buffer.concat([PNG, randomBytes(12 * MIB)]);
const sha256 = createHash('sha256').update(file).digest('hex');

let app: TestApp;
let alice: Person;
let bob: Person;
let campaignId: string;

const start = (unreadMs: number, shared?: TestDatabase) =>
  startTestApp({ sandboxSpeed: 0 }, shared, undefined, {}, { unreadMs });

const opened: RawConnection[] = [];
beforeAll(async () => {
  app = await start(3_600_000);
  alice = await app.signUp('alice');
  bob = await app.signUp('bob');
  for (const person of [alice, bob]) {
    const { groups } = (await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body
      .data;
    const answer = await person.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Large',
      html: 'Hello',
      image: file.toString('base64'),
      group_metadata_ids: groups.slice(0, 1).map((group) => group.group_metadata_id),
    });
    campaignId = answer.body.data.campaign_id;
  }
});
afterAll(async () => {
  for (const { socket } of opened) socket.destroy();
  await app.stop();
});

/** Sends a request and reads nothing of the answer. */
function askDeaf(path: string, body: object, { token }: Person, { url } = app): RawConnection {
  const connection = rawConnection(url);
  connection.socket.pause();
  const text = JSON.stringify(body);
  connection.send(
    `POST /api/v1/${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  opened.push(connection);
  return connection;
}

const download = (person: Person) =>
  fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
    body: JSON.stringify({ sha256 }),
  });

/** Returns the peak growth of memory outside of the heap during `work`, in bytes. */
async function highWater(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const look = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 10);
  await work();
  clearInterval(look);
  return most - before;
}

test.for([
  ['a file', 'venom/get-media', () => ({ sha256 })],
  ['the copy of a campaign with one', 'venom/duplicate-campaign', () => ({ campaign_id: campaignId })],
] as const)(
  'sixteen clients that request %s and do not read cost less memory than half of the files',
  async ([, path, body]) => {
    const most = await highWater(async () => {
      const deaf = Array.from({ length: 16 }, () => askDeaf(path, body(), bob));
      // By the time another client has its file, all sixteen would have been read into memory.
      const got = await download(alice);
      expect(Buffer.from(await got.arrayBuffer()).equals(file)).toBe(true);
      for (const { socket } of deaf) socket.destroy();
    });
    // The downloaded file is in this process, too, twice.
    expect(most / MIB).toBeLessThan(8 * 12);
  },
);

test('queues the downloads of a user beyond a few at once, and delays no other user', async () => {
  const deaf = Array.from({ length: 8 }, () => askDeaf('venom/get-media', { sha256 }, bob));
  const fetchWhole = async (person: Person) => (await (await download(person)).arrayBuffer()).byteLength;
  const own = fetchWhole(bob);
  expect(await fetchWhole(alice)).toBe(file.length);
  for (const { socket } of deaf) socket.destroy();
  expect(await own).toBe(file.length);
});

test('closes a connection that reads nothing of a file, and keeps one that reads slowly', async () => {
  const impatient = await start(UNREAD_MS, app.database);
  const deaf = askDeaf('venom/get-media', { sha256 }, alice, impatient);
  const slow = askDeaf('venom/get-media', { sha256 }, bob, impatient);
  let isOpen = true;
  slow.socket.once('close', () => (isOpen = false));
  slow.socket.resume();
  await once(slow.socket, 'data');
  slow.socket.pause();
  // Node.js closes after twice that time if something was written meanwhile.
  for (let taken = 0; taken < 4 * UNREAD_MS; taken += UNREAD_MS / 8) {
    slow.socket.resume();
    slow.socket.once('data', () => slow.socket.pause());
    await sleep(UNREAD_MS / 8);
  }
  expect(isOpen).toBe(true);
  slow.socket.destroy();
  deaf.socket.resume();
  expect((await deaf.received()).length).toBeLessThan(file.length);
  await impatient.stop();
});
