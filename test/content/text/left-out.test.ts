/** Parts of a post that are left out: each operation that takes a message says so in a header (contract §3, add-campaign). */
import { expect, test } from 'vitest';
import { useTestApp, type Answer } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
await alice.call('user/update_profile', { time_zone: 'UTC' });
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const group = body.data.groups[0]?.group_metadata_id ?? 0;

const warned = ({ headers }: Answer<unknown>) =>
  JSON.parse(`[${headers.get('x-campanile-warnings') ?? ''}]`) as string[];
const schedule = { start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const post = (html: string) => ({ name: 'Fair', html, group_metadata_ids: [group] });
const textOf = async (campaign_id: string) =>
  (await alice.call<{ html: string; text: string }>('venom/get-campaign', { campaign_id })).body.data;

const LINK =
  'Links need a complete http, https, mailto or tel address. The text of these stays without a link: "ftp://ü"';
const TAGS = 'Tags that are not allowed were taken out: <div>, <img>';

test('a link that cannot be one is left out, and its text is sent', async () => {
  const html = '<p>See <a href="ftp://ü">the list</a></p>';
  const now = await alice.call<{ campaign_id: string }>('venom/add-campaign', post(html));
  expect(warned(now)).toEqual([LINK]);
  expect(await textOf(now.body.data.campaign_id)).toMatchObject({ text: 'See the list', html });
  const later = await alice.call('venom/add-campaign-batch', { ...post(html), ...schedule });
  expect(warned(later)).toEqual([LINK]);
  const campaign_id = later.headers.get('x-campaign-id');
  expect(warned(await alice.call('venom/update-campaign', { campaign_id, html: `${html}!` }))).toEqual([LINK]);
  const check = await alice.call('venom/check-campaign', { ...post(html), is_schedule: false });
  expect(check.body.data).toMatchObject({
    warnings: expect.arrayContaining([expect.objectContaining({ code: 'link_not_linkable', message: LINK })]),
  });
});

test('a repeated request with the same key is warned again', async () => {
  const send = () =>
    fetch(`${app.url}/api/v1/venom/add-campaign`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${alice.token}`,
        'idempotency-key': 'left out',
      },
      body: JSON.stringify(post('<a href="ftp://ü">a</a>')),
    });
  const headers = [(await send()).headers, (await send()).headers];
  expect(headers.map((one) => one.get('idempotency-replayed'))).toEqual([null, 'true']);
  expect(headers[1]?.get('x-campanile-warnings')).toBe(headers[0]?.get('x-campanile-warnings'));
});

test('tags that are not allowed are a 400 that names all of them', async () => {
  const html = '<title>t</title><div><u>a</u><s>b</s><img><hr><blockquote>c</blockquote></div>';
  const issue = 'has tags that are not allowed: <title>, <div>, <u>, <s>, <img>, <hr>, <blockquote>';
  for (const change of [{}, { on_unknown_tags: null }, { on_unknown_tags: 'reject' }])
    expect((await alice.call('venom/add-campaign', { ...post(html), ...change })).body).toMatchObject({
      code: 400,
      details: [{ field: 'html', issue }],
    });
  expect((await alice.call('venom/add-campaign', { ...post('a'), on_unknown_tags: 'keep' })).body).toMatchObject({
    code: 400,
    details: [{ field: 'on_unknown_tags' }],
  });
});

test('with on_unknown_tags: drop they are taken out, in every operation', async () => {
  const html = '<div>Open <b>daily</b></div><div><img src=x>until nine</div>';
  const text = 'Open *daily*\nuntil nine';
  const left = '<p>Open <b>daily</b><br>until nine</p>';
  const drop = { on_unknown_tags: 'drop' };
  const now = await alice.call<{ campaign_id: string }>('venom/add-campaign', { ...post(html), ...drop });
  expect(warned(now)).toEqual([TAGS]);
  const { campaign_id } = now.body.data;
  // What is left can be sent again without the field.
  expect(await textOf(campaign_id)).toMatchObject({ text, html: left });
  const later = await alice.call('venom/add-campaign-batch', { ...post(html), ...schedule, ...drop });
  expect(warned(later)).toEqual([TAGS]);
  const planned = later.headers.get('x-campaign-id');
  expect(
    warned(await alice.call('venom/update-campaign', { campaign_id: planned, html: `${html}!`, ...drop })),
  ).toEqual([TAGS]);
  const preview = await alice.call('venom/preview-campaign', { html, ...drop });
  expect(preview.body.data).toMatchObject({ text, warnings: [{ code: 'tags_dropped', message: TAGS }] });
  const check = await alice.call('venom/check-campaign', { ...post(html), is_schedule: false, ...drop });
  expect(check.body.data).toMatchObject({ text });
  const sent = () => alice.call<{ status: string }>('venom/get-campaign', { campaign_id });
  await until(sent, ({ body }) => body.data.status === 'completed');
  const corrected = await alice.call('venom/correct-campaign', { campaign_id, html: `${html}!`, ...drop });
  expect([corrected.status, warned(corrected)]).toEqual([200, [TAGS]]);
});

test('a file and nothing but dropped tags is a file without text', async () => {
  const image = PNG.toString('base64');
  const body = { ...post('<div><img></div>'), on_unknown_tags: 'drop' };
  expect((await alice.call('venom/add-campaign', { ...body, image })).status).toBe(200);
  expect((await alice.call('venom/add-campaign', body)).body).toMatchObject({
    code: 400,
    details: [{ field: 'html' }],
  });
});
