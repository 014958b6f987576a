/** Sites are hostile: whatever they answer, a link preview takes bounded time and memory, and reads public addresses only. */
import type { ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { workFor } from '../../../src/platform/concurrency/requester.ts';
import {
  createLinkPreviews,
  type LinkPreviews,
  type LinkPreviewsOptions,
} from '../../../src/content/link-preview/link-previews.ts';
import { CARD_BYTES } from '../../../src/content/media/pictures.ts';
import { createDnsLookup } from '../../../src/platform/http-client/resolve-host.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { drawNoise, drawPlain } from '../../support/inputs/pictures.ts';
import { startNameServer, type NameServer } from '../../support/servers/name-server.ts';
import { pageWithCard, startWebSite, type WebSite } from '../../support/servers/web-site.ts';

/** Does work for another workspace. */
const asOther = <Result>(work: () => Result) => workFor({ party: ['workspace 2'], isWrite: false }, work);
let site: WebSite;
let inside: WebSite;
let names: NameServer;
let addresses: Record<string, string[]>;
let previews: LinkPreviews;

beforeAll(async () => {
  site = await startWebSite();
  inside = await startWebSite();
  inside.serve('/secret', { type: 'text/html', body: pageWithCard({ title: 'A secret' }) });
  names = await startNameServer((name) => addresses[name] ?? []);
});
afterAll(async () => {
  names.close();
  await Promise.all([site.close(), inside.close()]);
});
beforeEach(() => {
  addresses = {};
  site.requested.length = 0;
  inside.requested.length = 0;
  open({});
});
afterEach(() => previews.close());

/** A service that may read `site.example`, which is on loopback, and nothing else that is not public. */
function open(options: Partial<LinkPreviewsOptions>): void {
  const allowed = readAllowedHosts(['site.example']);
  if (!allowed) throw new Error('no such hosts');
  addresses['site.example'] = ['127.0.0.1'];
  const lookup = createDnsLookup([names.at]);
  previews = createLinkPreviews({
    log: createLog('silent'),
    isEnabled: true,
    allowed,
    lookup,
    fetchMs: 60_000,
    ...options,
  });
}

const at = (path: string, of: WebSite = site, host = 'site.example') => `${of.url.replace('127.0.0.1', host)}${path}`;
const find = (path: string) => previews.find(at(path));
const serve = (path: string, head: string, type = 'text/html') =>
  site.serve(path, { type, body: `<!doctype html><html><head>${head}` });

/** How far a text was sent before the reader went away. */
function sendForEver(response: ServerResponse, piece: Buffer): { sent: () => number } {
  let sent = 0;
  const more = () => {
    while (!response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
  };
  more();
  return { sent: () => sent };
}

test('returns the title, the description and a small JPEG of the picture', async () => {
  site.serve('/big.png', { type: 'image/png', body: await sharp(await drawPlain(2_400, 1_200, 'png')).toBuffer() });
  site.serve('/fair', { body: pageWithCard({ title: 'Fair', description: 'At nine', image: 'big.png' }) });
  const { card } = await find('/fair');
  expect(card).toMatchObject({ title: 'Fair', description: 'At nine', picture: { width: 800, height: 400 } });
  expect(await sharp(card?.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 800, height: 400 });
});

test('makes any picture small enough', async () => {
  site.serve('/noise.png', { type: 'image/png', body: await drawNoise(640, 800) });
  site.serve('/noise', { body: pageWithCard({ title: 'Noise', image: 'noise.png' }) });
  const { card } = await find('/noise');
  expect(card?.picture?.bytes.length).toBeLessThanOrEqual(CARD_BYTES);
});

test('asks a site once for one workspace, one after the other and all at the same moment', async () => {
  serve('/once', '<title>Once</title>');
  await Promise.all([find('/once'), find('/once'), find('/once')]);
  expect(await find('/once')).toMatchObject({ card: { title: 'Once' } });
  expect(site.requested).toEqual(['/once']);
});

test('shares no answer with another workspace: neither what it has fetched nor what a site told it', async () => {
  let visits = 0;
  const serveVisits = () => site.serve('/shared', { type: 'text/html', body: `<title>Visit ${(visits += 1)}</title>` });
  serveVisits();
  const both = [find('/shared'), asOther(() => find('/shared'))];
  expect(await Promise.all(both)).toMatchObject([{ card: { title: 'Visit 1' } }, { card: { title: 'Visit 1' } }]);
  expect(site.requested).toEqual(['/shared', '/shared']);
  serveVisits();
  expect(await workFor({ party: ['person 3', 'workspace 3'], isWrite: false }, () => find('/shared'))).toMatchObject({
    card: { title: 'Visit 2' },
  });
  for (const known of [find('/shared'), asOther(() => find('/shared'))])
    expect(await known).toMatchObject({ card: { title: 'Visit 1' } });
  expect(site.requested).toHaveLength(3);
});

test('asks for nothing when the operator allows no fetches', async () => {
  await previews.close();
  open({ isEnabled: false });
  expect(await find('/once')).toEqual({ card: null, reason: 'disabled' });
  expect(site.requested).toEqual([]);
});

test('limits how many fetches a user causes in a minute, and no other user notices', async () => {
  await previews.close();
  open({ fetchesPerMinute: 3 });
  const askFor = (path: string) =>
    workFor({ party: ['person 1', 'workspace 1'], isWrite: false }, () => previews.find(at(path)));
  for (const path of ['/1', '/2', '/3']) await askFor(path);
  expect(await askFor('/4')).toMatchObject({ card: null, reason: 'rate_limited' });
  expect(await askFor('/1')).toMatchObject({ reason: 'no_card' });
  expect(await asOther(() => previews.find(at('/4')))).toMatchObject({ reason: 'no_card' });
  expect(site.requested).toEqual(['/1', '/2', '/3', '/4']);
});

describe('SSRF: does not read', () => {
  test.each([
    ['an address that is not public', () => `${inside.url}/secret`],
    ['a name that leads to one', () => at('/secret', inside, 'evil.example')],
    ['a name with one that is not public among others', () => at('/secret', inside, 'both.example')],
  ])('%s', async (_name, url) => {
    addresses['evil.example'] = ['127.0.0.1'];
    addresses['both.example'] = ['93.184.215.14', '127.0.0.1'];
    expect(await previews.find(url())).toEqual({ card: null, reason: 'no_answer' });
    expect(inside.requested).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('what a redirect with the status %i leads to there', async (status) => {
    site.serve('/leads', (_request, response) =>
      response.writeHead(status, { location: `${inside.url}/secret` }).end(),
    );
    expect(await find('/leads')).toEqual({ card: null, reason: 'no_answer' });
    await previews.close();
    open({});
    site.serve('/file', (_request, response) => response.writeHead(status, { location: 'file:///etc/passwd' }).end());
    expect(await find('/file')).toEqual({ card: null, reason: 'no_answer' });
    expect(inside.requested).toEqual([]);
  });

  test('a picture there', async () => {
    inside.serve('/t.png', { type: 'image/png', body: await drawPlain(100, 100, 'png') });
    serve('/points', `<title>Points inside</title><meta property="og:image" content="${inside.url}/t.png">`);
    expect(await find('/points')).toMatchObject({ card: { title: 'Points inside', picture: null } });
    expect(inside.requested).toEqual([]);
  });
});

describe('a site that', () => {
  test('redirects to a page gives the card of that page', async () => {
    site.serve('/old', (_request, response) => response.writeHead(301, { location: '/new?x=1#part' }).end());
    serve('/new', '<title>New</title>');
    expect(await find('/old#top')).toMatchObject({ card: { title: 'New' } });
    expect(site.requested).toEqual(['/old', '/new?x=1']);
  });

  test('redirects for ever is given up', async () => {
    site.serve('/round', (_request, response) => response.writeHead(302, { location: '/round' }).end());
    expect(await find('/round')).toMatchObject({ reason: 'no_answer' });
    expect(site.requested).toHaveLength(6);
  });

  test('sends a page without an end is cut off, and its beginning counts', async () => {
    let endless: { sent: () => number } | undefined;
    site.serve('/endless', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Endless</title>');
      endless = sendForEver(response, Buffer.alloc(64 * 1024, 'x'));
    });
    expect(await find('/endless')).toMatchObject({ card: { title: 'Endless' } });
    expect(endless?.sent()).toBeLessThan(64 * 1024 * 1024);
  });

  test('sends its page drop by drop is given up in time', async () => {
    await previews.close();
    open({ fetchMs: 1_000 });
    site.serve('/slow', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Slow</title>');
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    });
    const result = await find('/slow');
    expect(['Slow', undefined]).toContain(result.card?.title);
  });

  test('says nothing is given up in time', async () => {
    await previews.close();
    open({ fetchMs: 300 });
    site.serve('/silent', () => undefined);
    expect(await find('/silent')).toEqual({ card: null, reason: 'no_answer' });
  });

  test('sends a picture slowly gets a card without it', async () => {
    await previews.close();
    open({ fetchMs: 8_000 });
    site.serve('/slow.png', () => undefined);
    site.serve('/slow-picture', { type: 'text/html', body: pageWithCard({ title: 'Quick', image: '/slow.png' }) });
    expect(await find('/slow-picture')).toMatchObject({ card: { title: 'Quick', picture: null } });
  });

  test.each([
    ['an error', 500, 'text/html'],
    ['a page that is not there', 404, 'text/html'],
    ['a file', 200, 'application/pdf'],
    ['a compressed page, which nobody asked for', 200, 'text/html'],
  ])('sends %s has no card', async (name, status, type) => {
    const headers = { 'content-type': type, ...(name.startsWith('a compressed') && { 'content-encoding': 'gzip' }) };
    site.serve('/odd', (_request, response) => response.writeHead(status, headers).end('<title>Odd</title>'));
    expect(await previews.find(at(`/odd?${encodeURIComponent(name)}`))).toMatchObject({ reason: 'no_card' });
  });

  test('hangs up has no card', async () => {
    site.serve('/hang-up', (request) => request.socket.destroy());
    expect(await find('/hang-up')).toMatchObject({ reason: 'no_answer' });
  });
});

describe('a picture that', () => {
  const withPicture = async (path: string, type: string, body: Buffer) => {
    site.serve(`${path}.bin`, { type, body });
    site.serve(path, { type: 'text/html', body: pageWithCard({ title: 'Picture', image: `${path}.bin` }) });
    return (await find(path)).card;
  };

  test('would take gigabytes when decoded is left out', async () => {
    const bomb = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: '#000' } })
      .png({ compressionLevel: 9, palette: true })
      .toBuffer();
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);
    expect(await withPicture('/bomb', 'image/png', bomb)).toMatchObject({ title: 'Picture', picture: null });
  });

  test('is larger than 2 MiB is left out', async () => {
    const large = await drawNoise(1_000, 1_000);
    expect(large.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(await withPicture('/large', 'image/png', large)).toMatchObject({ picture: null });
  });

  test('is broken, no picture, SVG, or counts visits is left out', async () => {
    const broken = (await drawNoise(200, 200)).subarray(0, 5_000);
    expect(await withPicture('/broken', 'image/png', broken)).toMatchObject({ picture: null });
    expect(await withPicture('/noise-bytes', 'image/png', randomBytes(5_000))).toMatchObject({ picture: null });
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="9" height="9"/></svg>',
    );
    expect(await withPicture('/svg', 'image/svg+xml', svg)).toMatchObject({ picture: null });
    expect(await withPicture('/pixel', 'image/gif', await drawPlain(1, 1, 'gif'))).toMatchObject({ picture: null });
  });

  test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)('is a %s becomes a JPEG', async (format) => {
    const card = await withPicture(`/${format}`, 'application/octet-stream', await drawPlain(120, 60, format));
    expect(await sharp(card?.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 120, height: 60 });
  });
});

describe('HTML that is made to be slow', () => {
  const MANY = 400_000;
  const SLOW: Record<string, string> = {
    'has very many attributes': `<meta ${Array.from({ length: MANY }, (_, index) => `a${index}`).join(' ')}>`,
    'is nested very deeply': '<b>'.repeat(MANY),
    'reopens formatting in every block': '<p><b><i>'.repeat(MANY / 4),
    'has very many links': '<link rel=image_src href=x>'.repeat(MANY / 20),
    'declares very many encodings': '<meta charset=x'.repeat(MANY / 10),
    'has a very long title': `<title>${'x '.repeat(MANY)}`,
  };
  test.each(Object.entries(SLOW))('and %s does not block the event loop', async (name, html) => {
    await previews.close();
    open({ fetchMs: 3_000 });
    site.serve('/tangled', { type: 'text/html', body: `<title>First</title>${html}` });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const startedAt = performance.now();
    await previews.find(at(`/tangled?${encodeURIComponent(name)}`));
    clearInterval(timer);
    const tookMs = performance.now() - startedAt;
    // A blocked event loop would have no turns at all while the page is read.
    expect(turns).toBeGreaterThan(Math.min(5, tookMs / 100));
  });
});

describe('a video site', () => {
  const video = { title: 'Dance', author_name: 'Ann', provider_name: 'Tube', thumbnail_url: '' };

  test('is asked for its description first, and for the page if it has none', async () => {
    await previews.close();
    open({ providers: [{ hosts: /^site\.example$/, endpoint: at('/oembed?url=') }] });
    site.serve('/thumb.jpg', { type: 'image/jpeg', body: await drawPlain(480, 360, 'jpeg') });
    const body = JSON.stringify({ ...video, thumbnail_url: at('/thumb.jpg') });
    site.serve('/oembed', { type: 'application/json', body });
    expect(await find('/watch?v=1')).toMatchObject({
      card: { title: 'Dance', description: 'Ann · Tube', picture: { width: 480, height: 360 } },
    });
    expect(site.requested).toEqual([`/oembed?url=${encodeURIComponent(at('/watch?v=1'))}`, '/thumb.jpg']);
    site.serve('/oembed', { type: 'application/json', body: '{"title": ' });
    serve('/watch2', '<title>Page</title>');
    expect(await find('/watch2')).toMatchObject({ card: { title: 'Page' } });
  });
});
