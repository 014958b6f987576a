/** Link previews (contract §4): as the API takes and returns them, and as members of the sandbox see them. */
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { readCount, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { startTestApp, untilCompleted } from '../../support/app.ts';
import { drawPlain } from '../../support/inputs/pictures.ts';
import { until } from '../../support/ledger.ts';
import { previewsOfLoopback } from '../../support/link-previews.ts';
import { pageWithCard, startWebSite } from '../../support/servers/web-site.ts';

interface Shown {
  url: string;
  title: string;
  description: string;
  picture: { mime: string; size: number; sha256: string } | null;
}
interface Copied extends Omit<Shown, 'picture'> {
  image: string | null;
}
interface Message {
  text: string;
  link_preview: Shown | null;
  corrected_at: string | null;
}

const site = await startWebSite();
site.serve('/fair.png', { type: 'image/png', body: await drawPlain(1_200, 630, 'png') });
site.serve('/fair', {
  type: 'text/html',
  body: pageWithCard({ title: 'Spring fair', description: 'At nine', image: '/fair.png' }),
});
site.serve('/other', { type: 'text/html', body: pageWithCard({ title: 'Other' }) });
const fair = `${site.url}/fair`;
const app = await startTestApp(previewsOfLoopback());
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const groups = body.data.groups.map((group) => group.group_metadata_id);
afterAll(async () => {
  await app.stop();
  await site.close();
});
beforeEach(() => void (site.requested.length = 0));

const post = (html: string) => ({ name: 'Fair', html, group_metadata_ids: groups });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const own = (url: string, more: object = {}) => ({
  link_preview: { url, title: 'My title', description: 'Mine', ...more },
});
const warningsOf = ({ headers }: { headers: Headers }) => headers.get('x-campanile-warnings') ?? '';

async function sent(body: object): Promise<string> {
  const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', body);
  expect(answer.status).toBe(200);
  return answer.body.data.campaign_id;
}

async function scheduled(body: object): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', { ...body, ...schedule });
  expect([answer.status, answer.body.details]).toEqual([200, undefined]);
  return answer.headers.get('x-campaign-id') ?? '';
}

const cardOf = async (campaign_id: string) =>
  (await alice.call<{ link_preview: Shown | null }>('venom/get-campaign', { campaign_id })).body.data.link_preview;

/** The last message of each group. */
async function lastMessages(): Promise<Message[]> {
  const pages = await Promise.all(
    groups.map((group_metadata_id) =>
      alice.call<{ messages: Message[] }>('sandbox/list-messages', {
        group_metadata_id,
        limit: 1_000,
        with_changes: true,
      }),
    ),
  );
  return pages.flatMap(({ body }) => body.data.messages.at(-1) ?? []);
}

const shownEverywhere = (holds: (message: Message) => boolean) =>
  until(lastMessages, (messages) => messages.length === groups.length && messages.every(holds));

async function fileOf({ picture }: Shown): Promise<Buffer> {
  const response = await fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ sha256: picture?.sha256 }),
  });
  return Buffer.from(await response.arrayBuffer());
}

interface Found {
  link_preview: Copied | null;
  reason: string | null;
}
const find = (url: string) => alice.call<Found>('venom/link-preview', { url });

describe('link-preview', () => {
  test('returns the card of a page, to be sent with a campaign', async () => {
    const { status, body } = await find(fair);
    expect([status, body.data.reason]).toEqual([200, null]);
    expect(body.data.link_preview).toMatchObject({ url: fair, title: 'Spring fair', description: 'At nine' });
    const image = Buffer.from(body.data.link_preview?.image?.replace(/^.*,/, '') ?? '', 'base64');
    expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: 800, height: 420 });
    const id = await scheduled({ ...post(`See ${fair}`), link_preview: body.data.link_preview });
    const kept = await cardOf(id);
    expect(kept).toMatchObject({ title: 'Spring fair', picture: { mime: 'image/jpeg', size: image.length } });
    expect((await fileOf(kept as Shown)).equals(image)).toBe(true);
  });

  test('says why there is none', async () => {
    site.serve('/empty', { type: 'text/html', body: '<p>Nothing' });
    expect((await find(`${site.url}/empty`)).body.data).toEqual({ link_preview: null, reason: 'no_card' });
    expect((await find('http://127.0.0.1:9/')).body.data).toEqual({ link_preview: null, reason: 'no_answer' });
    expect((await find('http://10.0.0.1/')).body.data).toEqual({ link_preview: null, reason: 'no_answer' });
    expect(await find('not a link')).toMatchObject({ status: 400, body: { details: [{ field: 'url' }] } });
  });

  test('is limited to 30 fetches a minute and user', async () => {
    const bob = await app.signUp('bob');
    const statuses = [];
    for (let index = 0; index < 31; index++)
      statuses.push((await bob.call('venom/link-preview', { url: `${site.url}/limit/${index}` })).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    const { headers, body } = await bob.call('venom/link-preview', { url: `${site.url}/limit/more` });
    expect(body.message).toContain('30 link previews a minute');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await find(`${site.url}/limit/more`)).status).toBe(200);
  });
});

test('preview-campaign lists the links that can have a card', async () => {
  const links = async (html: string) =>
    (await alice.call<{ links: string[] }>('venom/preview-campaign', { html })).body.data.links;
  const twice = 'Tickets (https://example.com/a), www.example.com. Again https://example.com/a';
  expect(await links(twice)).toEqual(['https://example.com/a', 'www.example.com']);
  expect(await links('<a href="https://example.com/?a=1&b=(2)">Tickets</a>')).toEqual([
    'https://example.com/?a=1&b=%282%29',
  ]);
  expect(await links('Nowhere')).toEqual([]);
});

describe('a campaign', () => {
  test('that says nothing has a bare link, and its site is not asked', async () => {
    await sent(post(`Bare ${fair}`));
    expect(await shownEverywhere(({ text }) => text === `Bare ${fair}`)).toMatchObject(
      groups.map(() => ({ link_preview: null })),
    );
    expect(site.requested).toEqual([]);
  });

  test('with a card shows it in all its groups', async () => {
    const image = (await drawPlain(100, 80, 'png')).toString('base64');
    const id = await sent({ ...post(`Own ${fair}`), ...own(fair, { image }) });
    const messages = await shownEverywhere(({ text }) => text === `Own ${fair}`);
    expect(messages.map(({ link_preview: card }) => card)).toEqual(groups.map(() => messages[0]?.link_preview));
    expect(messages[0]?.link_preview).toMatchObject({
      url: fair,
      title: 'My title',
      description: 'Mine',
      picture: { mime: 'image/jpeg' },
    });
    expect(await cardOf(id)).toEqual(messages[0]?.link_preview);
    expect(site.requested).toEqual([]);
  });

  test('may have its card fetched, once for all groups and runs', async () => {
    site.serve('/once', { type: 'text/html', body: pageWithCard({ title: 'Once' }) });
    const url = `${site.url}/once`;
    const answer = await alice.call('venom/add-campaign', { ...post(`Fetched ${url}`), fetch_link_preview: true });
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).not.toContain('preview');
    expect(await shownEverywhere(({ link_preview: card }) => card?.url === url)).toMatchObject(
      groups.map(() => ({ link_preview: { title: 'Once', picture: null } })),
    );
    expect(site.requested).toEqual(['/once']);
  });

  test('whose site does not answer is accepted with a bare link, and a warning', async () => {
    const answer = await alice.call('venom/add-campaign', {
      ...post('At http://127.0.0.1:9/x'),
      fetch_link_preview: true,
    });
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).toContain('goes without its preview: http://127.0.0.1:9/x (its site did not answer');
    await shownEverywhere(({ text, link_preview: card }) => text === 'At http://127.0.0.1:9/x' && card === null);
  });

  test('that is repeated under its key has its site asked once', async () => {
    site.serve('/keyed', { type: 'text/html', body: pageWithCard({ title: 'Keyed' }) });
    const body = { ...post(`Keyed ${site.url}/keyed`), fetch_link_preview: true };
    const add = () =>
      fetch(`${app.url}/api/v1/venom/add-campaign`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${alice.token}`,
          'idempotency-key': 'card-1',
        },
        body: JSON.stringify(body),
      });
    const [first, second] = [await (await add()).json(), await (await add()).json()];
    expect(second).toEqual(first);
    expect(site.requested).toEqual(['/keyed']);
  });

  test('has no card with an empty title, and no card below a file', async () => {
    const id = await scheduled({ ...post(`No ${fair}`), ...own(fair, { title: ' ' }) });
    expect(await cardOf(id)).toBeNull();
    const image = (await drawPlain(20, 20, 'png')).toString('base64');
    await sent({ ...post(`File ${fair}`), ...own(fair), image });
    await shownEverywhere(({ text, link_preview: card }) => text === `File ${fair}` && card === null);
    await sent({ ...post(`Fetch ${fair}`), fetch_link_preview: true, image });
    await shownEverywhere(({ text, link_preview: card }) => text === `Fetch ${fair}` && card === null);
    expect(site.requested).toEqual([]);
  });

  test.each([
    ['a link that the text does not have', () => own(`${fair}/other`), 'link_preview.url'],
    [
      'a picture that is none',
      () => own(fair, { image: Buffer.from('text').toString('base64') }),
      'link_preview.image',
    ],
    ['a picture that is not base64', () => own(fair, { image: '?' }), 'link_preview.image'],
    ['a long title', () => own(fair, { title: 'x'.repeat(301) }), 'link_preview.title'],
    ['a card that is no object', () => ({ link_preview: 'yes' }), 'link_preview'],
  ])('with %s is a 400', async (_name, more, field) => {
    const answer = await alice.call('venom/add-campaign', { ...post(`See ${fair}`), ...more() });
    expect([answer.status, answer.body.details?.map((one) => one.field)]).toEqual([400, [field]]);
  });

  test('reports what is wrong with its card together with everything else', async () => {
    const answer = await alice.call('venom/add-campaign', {
      ...post('<u>x</u>'),
      ...own(fair, { image: '?' }),
      fetch_link_preview: true,
    });
    expect(answer.body.details?.map((one) => one.field).toSorted()).toEqual(['html', 'link_preview.image']);
    expect(site.requested).toEqual([]);
  });
});

test('check-campaign returns the card that would be sent, and warns of one that is not shown', async () => {
  interface Checked {
    link_preview: object | null;
    warnings: Array<{ code: string }>;
  }
  const check = async (more: object) =>
    (await alice.call<Checked>('venom/check-campaign', { ...post(`See ${fair}`), is_schedule: false, ...more })).body
      .data;
  expect(await check({ fetch_link_preview: true })).toMatchObject({
    link_preview: { title: 'Spring fair', picture: { mime: 'image/jpeg' } },
  });
  expect(await check({})).toMatchObject({ link_preview: null });
  const below = await check({ ...own(fair), with_file: true });
  expect(below.warnings.map(({ code }) => code)).toContain('link_preview_not_shown');
});

describe('a change', () => {
  test('keeps the card while the text has its link, and drops it with the link', async () => {
    const campaign_id = await scheduled({ ...post(`See ${fair}`), ...own(fair) });
    const change = async (body: object) => {
      const { status } = await alice.call('venom/update-campaign', { campaign_id, ...body });
      return [status, (await cardOf(campaign_id))?.title];
    };
    expect(await change({ html: `Look at ${fair}` })).toEqual([200, 'My title']);
    expect(await change({ html: 'No link' })).toEqual([200, undefined]);
    expect(await change({ html: `Again ${fair}`, ...own(fair, { title: 'New' }) })).toEqual([200, 'New']);
    expect(await change({ remove: ['link_preview'] })).toEqual([200, undefined]);
    expect(await change({ fetch_link_preview: true })).toEqual([200, 'Spring fair']);
    expect(await change(own(fair, { title: '' }))).toEqual([200, undefined]);
    expect(await change(own('https://example.com'))).toEqual([400, undefined]);
  });
});

describe('a correction', () => {
  test('keeps, changes, fetches and drops the card of sent posts', async () => {
    const campaign_id = await sent({ ...post(`One ${fair}`), ...own(fair) });
    await shownEverywhere(({ text }) => text === `One ${fair}`);
    const correct = async (html: string, more: object, title: string | undefined) => {
      expect((await alice.call('venom/correct-campaign', { campaign_id, html, ...more })).status).toBe(200);
      const messages = await shownEverywhere(({ text, link_preview: card }) => text === html && card?.title === title);
      expect(messages.every(({ corrected_at: at }) => at !== null)).toBe(true);
      expect((await cardOf(campaign_id))?.title).toBe(title);
    };
    await correct(`Two ${fair}`, {}, 'My title');
    await correct(`Two ${fair}`, own(fair, { title: 'Second' }), 'Second');
    await correct(`Three ${fair}`, { fetch_link_preview: true }, 'Spring fair');
    await correct('Four', {}, undefined);
    await correct(`Five ${fair}`, own(fair, { title: '' }), undefined);
    const wrong = await alice.call('venom/correct-campaign', { campaign_id, html: 'Six', ...own(fair) });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ field: 'link_preview.url' }] } });
  });
});

test('a copy has the same card, and sends it again without its site', async () => {
  const id = await scheduled({ ...post(`Copy ${fair}`), fetch_link_preview: true });
  site.requested.length = 0;
  const { body } = await alice.call<{ link_preview: Copied }>('venom/duplicate-campaign', { campaign_id: id });
  expect(body.data.link_preview).toMatchObject({
    url: fair,
    title: 'Spring fair',
    image: expect.stringMatching(/^data:image\/jpeg;base64,/),
  });
  const again = await alice.call('venom/add-campaign-batch', body.data);
  expect(again.status).toBe(200);
  expect(await cardOf(again.headers.get('x-campaign-id') ?? '')).toEqual(await cardOf(id));
  expect(site.requested).toEqual([]);
});

test('a draft keeps a card, with a picture that is small enough', async () => {
  const draft_id = randomUUID();
  const image = (await drawPlain(2_000, 1_000, 'png')).toString('base64');
  const saved = await alice.call('venom/save-draft', {
    draft_id,
    version: 0,
    ...own('not yet a link', { image, title: '' }),
  });
  expect(saved.status).toBe(200);
  const { body } = await alice.call<{ drafts: Array<{ content: { link_preview: Copied } }> }>('venom/list-drafts', {
    draft_id,
  });
  const card = body.data.drafts[0]?.content.link_preview;
  expect(card).toMatchObject({ url: 'not yet a link', title: '', description: 'Mine' });
  expect(card?.image?.length).toBeLessThan(180_000);
  const broken = await alice.call('venom/save-draft', { draft_id, version: 1, ...own(fair, { image: 'aaaa' }) });
  expect(broken.status).toBe(400);
});

describe('the picture of a card', () => {
  const stored = async () => {
    return readCount(app.database.db)`
      select stored_bytes::int as bytes from workspaces where workspace_id = (
        select workspace_id from memberships where user_id = ${alice.userId} limit 1)`;
  };

  test('counts towards the quota of the workspace, once', async () => {
    const image = (await drawPlain(333, 222, 'png')).toString('base64');
    const before = await stored();
    const id = await scheduled({ ...post(`Quota ${fair}`), ...own(fair, { image }) });
    await scheduled({ ...post(`Quota again ${fair}`), ...own(fair, { image }) });
    expect((await stored()) - before).toBe((await cardOf(id))?.picture?.size);
  });

  test('is kept as long as a file of the campaign, and then gone', async () => {
    const image = (await drawPlain(111, 77, 'png')).toString('base64');
    const id = await sent({ ...post(`Kept ${fair}`), ...own(fair, { image }) });
    await shownEverywhere(({ text }) => text === `Kept ${fair}`);
    // The days are counted from its end, which is recorded after the posts have left.
    await untilCompleted(alice.call, id);
    const card = (await cardOf(id)) as Shown;
    const isThere = async () => {
      const rows = await readRows(app.database.db)`
        select from media where sha256 = decode(${card.picture?.sha256}, 'hex') and bytes is not null`;
      return rows.length === 1;
    };
    await app.database.clock.advance({ days: 30 });
    await dropUnusedMedia(app.database.db, 0);
    expect(await isThere()).toBe(true);
    await app.database.clock.advance({ days: 62 });
    await dropUnusedMedia(app.database.db, 0);
    expect(await isThere()).toBe(false);
    const copy = await alice.call<{ link_preview: Copied }>('venom/duplicate-campaign', { campaign_id: id });
    expect(copy.body.data.link_preview).toMatchObject({ title: 'My title', image: null });
  });
});
