/** Files that come by themselves (contract §4, files). */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readValue, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { box, film } from '../../support/inputs/films.ts';
import { HEIC } from '../../support/inputs/heic.ts';
import { CUT_OFF, PNG, REFUSED, TAKEN } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { startFileHost, type FileHost } from '../../support/servers/file-host.ts';
import { upload, type LibraryFile } from '../../support/upload.ts';

const MEBIBYTE = 1024 ** 2;
const loopback = readAllowedHosts(['127.0.0.0/8']);
if (!loopback) throw new Error('127.0.0.0/8 is no list of hosts');

let app: TestApp;
let alice: Person;
beforeAll(async () => {
  app = await startTestApp({
    egress: { allowHttp: true, allowed: loopback, proxy: {} },
    quotas: { storedBytes: 100 * MEBIBYTE, openCampaigns: 1_000, groupsPerDay: {}, accounts: 10 },
  });
  alice = await app.signUp('alice');
});
afterAll(() => app.stop());

const send = (bytes: Buffer | ReadableStream<Uint8Array>, options: Parameters<typeof upload>[3] = {}) =>
  upload(app.url, alice.token, bytes, options);
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function download(sha256: string): Promise<Buffer> {
  const response = await fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sha256 }),
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const countRows = (table: 'media' | 'media_pieces') =>
  readValue<number>(app.database.db)`select count(*)::int as count from ${sql.table(table)}`;

const storedBytes = async () =>
  (await alice.call<{ quotas: { stored_bytes: { used: number } } }>('user/get_profile')).body;

/** A film whose description begins at a position. */
function describedAt(position: number): Buffer {
  const description = film({ bytes: 0 });
  const more = position - (description.indexOf('moov') - 4);
  return film({ bytes: description.length + more });
}

function later(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      for (let from = 0; from < bytes.length; from += 100_001) {
        controller.enqueue(new Uint8Array(bytes.subarray(from, from + 100_001)));
        await new Promise(setImmediate);
      }
      controller.close();
    },
  });
}

describe('an upload', () => {
  test.each(TAKEN.filter(([, bytes, mime]) => mime !== 'text/vcard' && bytes.length > 0))(
    'of %s is recognised by its bytes',
    async (name, bytes, mime, kind) => {
      const { status, body } = await send(bytes, { name: `${name}.x` });
      expect([status, body.data]).toMatchObject([200, { mime, kind, size: bytes.length, name: `${name}.x` }]);
    },
  );

  test('of several megabytes is kept in pieces, and comes back as it was', async () => {
    const bytes = film({ bytes: 5 * MEBIBYTE + 1, fill: 7 });
    const { body } = await send(bytes, { name: 'Grüße vom Fest.mov', type: 'video/mp4' });
    expect(body.data).toMatchObject({
      mime: 'video/mp4',
      size: bytes.length,
      sha256: hashOf(bytes),
      name: 'Grüße vom Fest.mov',
      width: 1_920,
      height: 1_080,
      seconds: 13,
    });
    expect(hashOf(await download(body.data.sha256))).toBe(hashOf(bytes));
  });

  test('without an announced length is taken, too', async () => {
    const bytes = film({ bytes: 2 * MEBIBYTE, fill: 3, isAtEnd: false });
    const { status, body } = await send(later(bytes));
    expect([status, body.data.sha256]).toEqual([200, hashOf(bytes)]);
  });

  test('of the same bytes has the same id, also beside base64, and takes no more room', async () => {
    const bytes = film({ bytes: MEBIBYTE, fill: 9 });
    const first = (await send(bytes, { name: 'one.mp4' })).body.data;
    const before = await storedBytes();
    const again = (await send(bytes)).body.data;
    expect([again.media_id, again.name]).toEqual([first.media_id, 'one.mp4']);
    const draft = { draft_id: crypto.randomUUID(), version: 0, image: bytes.toString('base64') };
    expect((await alice.call('venom/save-draft', draft)).status).toBe(200);
    expect(await storedBytes()).toEqual(before);
  });

  test.each(REFUSED)('of %s is a 400', async (_name, bytes) => {
    expect((await send(bytes, { type: 'image/png' })).body).toMatchObject({ code: 400, details: [{ field: 'body' }] });
  });

  test.each(CUT_OFF)(
    'of %s that is cut off is a 400, also in pieces, and leaves nothing',
    async (_name, bytes, code) => {
      const rows = [await countRows('media'), await countRows('media_pieces')];
      expect((await send(bytes)).body).toMatchObject({ code: 400, details: [{ field: 'body', code }] });
      const pictures = film({ bytes: 900_000, isAtEnd: false }).subarray(0, 899_000);
      expect((await send(later(pictures))).body).toMatchObject({ code: 400, details: [{ code: 'unreadable_file' }] });
      expect([await countRows('media'), await countRows('media_pieces')]).toEqual(rows);
    },
  );

  test('of a HEIC photo is kept as JPEG, under its name, however long it is', async () => {
    for (const bytes of [HEIC, Buffer.concat([HEIC, box('free', Buffer.alloc(600_000))])]) {
      const { status, body } = await send(later(bytes), { name: 'IMG_1.HEIC' });
      expect([status, body.data]).toMatchObject([200, { mime: 'image/jpeg', kind: 'image', name: 'IMG_1.HEIC' }]);
      const jpeg = await download(body.data.sha256);
      expect([jpeg.length, hashOf(jpeg)]).toEqual([body.data.size, body.data.sha256]);
      expect((await send(bytes)).body.data.media_id).toBe(body.data.media_id);
    }
  });

  test('of a film whose description begins at the end of a piece tells its size', async () => {
    for (const position of [4, 12, 20].map((before) => 240 * 1_024 - before))
      expect((await send(describedAt(position))).body.data).toMatchObject({ width: 1_920, height: 1_080, seconds: 13 });
  });

  test('of nothing is a 400', async () => {
    expect((await send(Buffer.alloc(0))).body).toMatchObject({ code: 400, details: [{ issue: 'is empty' }] });
  });

  test('of text needs its type, and has to be text to its end', async () => {
    const text = Buffer.alloc(600_000, 'number;name\n');
    expect((await send(text)).status).toBe(400);
    expect((await send(text, { type: 'text/csv; charset=utf-8' })).body.data).toMatchObject({ mime: 'text/csv' });
    const rows = await countRows('media_pieces');
    const hidden = Buffer.concat([text, Buffer.from([0, 1, 2])]);
    expect((await send(hidden, { type: 'text/csv' })).body).toMatchObject({ code: 400 });
    expect(await countRows('media_pieces')).toBe(rows);
  });

  test('of an old office document is recognised by what comes late', async () => {
    const head = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(500_000)]);
    const bytes = Buffer.concat([head, Buffer.from('WordDocument', 'utf16le'), Buffer.alloc(9)]);
    expect((await send(bytes)).body.data).toMatchObject({ mime: 'application/msword' });
  });

  test('takes films and documents up to 64 MiB, pictures and sounds up to 16', async () => {
    const most = film({ bytes: 64 * MEBIBYTE });
    expect((await send(most)).body.data).toMatchObject({ size: 64 * MEBIBYTE });
    const rows = [await countRows('media'), await countRows('media_pieces')];
    for (const [bytes, issue] of [
      [Buffer.concat([most, Buffer.alloc(1)]), /64 MiB/],
      [Buffer.concat([PNG, Buffer.alloc(16 * MEBIBYTE)]), /16 MiB/],
    ] as const)
      expect((await send(later(bytes))).body).toMatchObject({
        code: 400,
        details: [{ field: 'body', issue: expect.stringMatching(issue) }],
      });
    expect([await countRows('media'), await countRows('media_pieces')]).toEqual(rows);
  });

  test('over the quota of the workspace is a 507, and leaves nothing', async () => {
    const rows = [await countRows('media'), await countRows('media_pieces')];
    for (const bytes of [film({ bytes: 60 * MEBIBYTE, fill: 1 }), later(film({ bytes: 60 * MEBIBYTE, fill: 1 }))])
      expect((await send(bytes)).status).toBe(507);
    expect([await countRows('media'), await countRows('media_pieces')]).toEqual(rows);
  });

  test('that breaks off leaves nothing', async () => {
    const rows = [await countRows('media'), await countRows('media_pieces')];
    const leaving = new AbortController();
    const bytes = film({ bytes: 3 * MEBIBYTE, fill: 5 });
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(bytes.subarray(0, 2 * MEBIBYTE))),
    });
    const broken = send(stream, { signal: leaving.signal });
    await until(
      () => countRows('media_pieces'),
      (count) => Number(count) > Number(rows[1]),
    );
    leaving.abort();
    await expect(broken).rejects.toThrow('aborted');
    await until(
      async () => [await countRows('media'), await countRows('media_pieces')],
      (now) => String(now) === String(rows),
    );
  });

  test('with a malformed name is a 400', async () => {
    const headers = { authorization: `Bearer ${alice.token}`, 'x-file-name': '%E0%A4%A' };
    const response = await fetch(`${app.url}/api/v1/media/upload`, {
      method: 'POST',
      headers,
      body: new Uint8Array(PNG),
    });
    expect(response.status).toBe(400);
    expect((await send(PNG, { name: 'x'.repeat(201) })).status).toBe(400);
    expect((await send(PNG, { name: 'a\0b' })).status).toBe(400);
  });
});

describe('an import', () => {
  let host: FileHost;
  beforeAll(async () => {
    host = await startFileHost();
  });
  afterAll(() => host.close());
  const take = (path: string, more: object = {}) =>
    alice.call<LibraryFile>('media/import', { url: new URL(path, host.url).href, ...more });

  test('keeps the file at a URL under the name of the URL, or under another', async () => {
    const bytes = film({ bytes: 700_000, fill: 4 });
    host.answer((_path, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(bytes));
    const { body } = await take('/files/Our%20programme.mp4?x=1');
    expect(body.data).toMatchObject({ mime: 'video/mp4', sha256: hashOf(bytes), name: 'Our programme.mp4' });
    expect((await take('/x', { file_name: 'Film.mp4' })).body.data).toMatchObject({
      media_id: body.data.media_id,
      name: 'Film.mp4',
    });
  });

  test('follows a few redirects, and checks each', async () => {
    const leadsTo: Readonly<Record<string, string>> = { '/a': '/end', '/in': 'http://10.0.0.1/x', '/round': '/round' };
    host.answer((path, response) => {
      const location = leadsTo[path];
      if (location === undefined) response.writeHead(200).end(PNG);
      else response.writeHead(302, { location }).end();
    });
    expect((await take('/a')).body.data).toMatchObject({ mime: 'image/png' });
    expect((await take('/round')).body).toMatchObject({ code: 400, details: [{ field: 'url' }] });
    expect((await take('/in')).body).toMatchObject({
      code: 400,
      details: [{ field: 'url', issue: 'leads to an address that is not public' }],
    });
  });

  test.each([
    ['no URL', 'nothing', /must be a URL/],
    ['an address of the service’s own network', 'http://192.168.0.1/x', /not public/],
    ['a name without an address', 'http://nothing.invalid/x', /does not answer/],
  ])('of %s is a 400', async (_what, wrong, issue) => {
    expect((await alice.call('media/import', { url: wrong })).body).toMatchObject({
      code: 400,
      details: [{ field: 'url', issue: expect.stringMatching(issue) }],
    });
  });

  test('of a page, of nothing and of a file that breaks off is a 400, and leaves nothing', async () => {
    const rows = [await countRows('media'), await countRows('media_pieces')];
    const answers: Array<(response: ServerResponse) => void> = [
      (response) => response.writeHead(404).end('not here'),
      (response) => response.writeHead(200).end('<!doctype html>'),
      (response) => response.writeHead(200).end(),
      (response) => response.writeHead(200, { 'content-length': 80 * MEBIBYTE }).end(),
      (response) => {
        response.writeHead(200, { 'content-length': MEBIBYTE }).write(film({ bytes: 600_000 }));
        setTimeout(() => response.destroy(), 50);
      },
    ];
    for (const answer of answers) {
      host.answer((_path, response) => answer(response));
      expect((await take('/x')).body).toMatchObject({ code: 400, details: [{ field: 'url' }] });
    }
    expect([await countRows('media'), await countRows('media_pieces')]).toEqual(rows);
  });
});
