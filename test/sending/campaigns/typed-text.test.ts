/** `text` in place of `html` (contract §3, add-campaign), in every operation about a post. */
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const { body: listed } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const [group = 0, other = 0] = listed.data.groups.map((one) => one.group_metadata_id);

const TEXT = '*Spring fair* ~12 €~ 10 €\n> We open at nine\n- `tea` & <cake>';
const post = { name: 'Fair', group_metadata_ids: [group] };
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const call = <Data>(name: string, body: object) => alice.call<Data>(`venom/${name}`, body);

async function textOf(campaign_id: string): Promise<string> {
  const { body } = await call<{ html: string }>('duplicate-campaign', { campaign_id });
  const preview = await call<{ text: string }>('preview-campaign', { html: body.data.html });
  return preview.body.data.text;
}
async function scheduled(message: object): Promise<string> {
  const { headers, body } = await call('add-campaign-batch', { ...post, ...schedule, ...message });
  expect(body).toMatchObject({ code: 200 });
  return headers.get('x-campaign-id') ?? '';
}

test('is sent as it is, and a copy of the campaign sends the same', async () => {
  const messages = async () => {
    const list = await alice.call<{ messages: { text: string }[] }>('sandbox/list-messages', {
      group_metadata_id: group,
    });
    return list.body.data.messages.map(({ text }) => text);
  };
  const added = await call<{ campaign_id: string }>('add-campaign', { ...post, text: TEXT });
  expect(added.status).toBe(200);
  expect(added.headers.get('x-campanile-warnings')).toBeNull();
  await until(messages, (found) => found.includes(TEXT));
  const copy = await call<object>('duplicate-campaign', { campaign_id: added.body.data.campaign_id });
  await call('add-campaign', { ...copy.body.data, group_metadata_ids: [other] });
  await until(
    async () =>
      (await alice.call<{ messages: { text: string }[] }>('sandbox/list-messages', { group_metadata_id: other })).body,
    ({ data }) => data.messages.some(({ text }) => text === TEXT),
  );
});

test('is previewed, checked, scheduled, drafted and changed', async () => {
  expect((await call('preview-campaign', { text: TEXT })).body).toMatchObject({
    data: { text: TEXT, length: TEXT.length },
  });
  for (const form of [{}, schedule])
    expect((await call('check-campaign', { ...post, ...form, text: TEXT })).body).toMatchObject({
      data: { text: TEXT },
    });
  const campaign_id = await scheduled({ html: 'before' });
  expect((await call('update-campaign', { campaign_id, text: TEXT })).status).toBe(200);
  expect(await textOf(campaign_id)).toBe(TEXT);
  expect((await call('update-campaign', { campaign_id, html: '<b>after</b>' })).status).toBe(200);
  expect(await textOf(campaign_id)).toBe('*after*');
  const draft_id = crypto.randomUUID();
  expect((await call('save-draft', { draft_id, version: 0, text: TEXT })).status).toBe(200);
  const { body } = await call<{ drafts: Array<{ content: { html: string } }> }>('list-drafts', { draft_id });
  const { html = '' } = body.data.drafts[0]?.content ?? {};
  expect((await call('preview-campaign', { html })).body).toMatchObject({ data: { text: TEXT } });
});

test('corrects a sent post', async () => {
  const { body } = await call<{ campaign_id: string }>('add-campaign', { ...post, html: 'wrong' });
  const { campaign_id } = body.data;
  const state = () => call<{ status: string }>('get-campaign', { campaign_id });
  await until(state, (found) => found.body.data.status === 'completed');
  expect((await call('correct-campaign', { campaign_id, text: '~wrong~ right' })).status).toBe(200);
  expect(await textOf(campaign_id)).toBe('~wrong~ right');
});

describe('exactly one of both', () => {
  const NEITHER = { code: 400, details: [{ field: 'html', code: 'required', issue: 'is required' }] };
  const BOTH = { code: 400, details: [{ field: 'text', code: 'text_and_html' }] };

  test.each(['add-campaign', 'check-campaign', 'preview-campaign'])('%s rejects neither and both', async (name) => {
    expect((await call(name, post)).body).toMatchObject(NEITHER);
    expect((await call(name, { ...post, text: null })).body).toMatchObject(NEITHER);
    expect((await call(name, { ...post, html: 'a', text: 'b' })).body).toMatchObject(BOTH);
    const empty = await call(name, { ...post, html: '', text: 'b' });
    expect(empty.body).toMatchObject(BOTH);
    expect((await call(name, { ...post, html: null, text: 'b' })).status).toBe(200);
  });

  test('a change may have neither', async () => {
    const campaign_id = await scheduled({ html: 'a' });
    expect((await call('update-campaign', { campaign_id, name: 'New' })).status).toBe(200);
    expect((await call('update-campaign', { campaign_id, html: 'a', text: 'b' })).body).toMatchObject(BOTH);
  });
});

describe('problems', () => {
  test('name the field that was sent', async () => {
    const empty = {
      code: 400,
      message: 'text has no text, and there is no file',
      details: [{ field: 'text', code: 'no_text' }],
    };
    for (const text of ['', ' \n ']) expect((await call('add-campaign', { ...post, text })).body).toMatchObject(empty);
    const image = `data:image/png;base64,${PNG.toString('base64')}`;
    expect((await call('add-campaign', { ...post, text: '', image })).status).toBe(200);
    const long = { ...post, group_metadata_ids: 'x', text: 'x'.repeat(65_537) };
    expect((await call('add-campaign', long)).body).toMatchObject({
      code: 400,
      details: [{ field: 'text', code: 'too_long', params: { limit: 65_536 } }, { field: 'group_metadata_ids' }],
    });
    for (const name of ['add-campaign', 'preview-campaign', 'save-draft']) {
      const { body } = await call(name, { ...post, draft_id: crypto.randomUUID(), version: 0, text: 5 });
      expect(body).toMatchObject({ code: 400, details: [{ field: 'text', code: 'wrong_type' }] });
    }
  });

  test.each(['&', '<', '>', '&amp;', '<b>', '\r\n', 'a'])(
    'a text of 65,536 characters is counted as sent: %j',
    async (piece) => {
      const text = `.${piece.repeat(Math.floor(65_534 / piece.length))}`.padEnd(65_536, '.');
      const { body } = await call<{ text: string }>('preview-campaign', { text });
      expect(body).toMatchObject({ code: 200 });
      expect(body.data.text).toBe(text.replaceAll('\r\n', '\n'));
      const more = await call('preview-campaign', { text: `${text}x` });
      expect(more.body).toMatchObject({
        code: 400,
        message: 'text must be at most 65536 characters',
        details: [{ field: 'text', code: 'too_long' }],
      });
      expect((await call('preview-campaign', { text: text.repeat(5) })).body.details).toMatchObject(
        more.body.details ?? [],
      );
    },
  );

  test('of an operation without a message are unknown fields', async () => {
    const { status, headers } = await alice.call('user/get_profile', { text: 'x' });
    expect([status, headers.get('x-campanile-warnings')]).toEqual([200, '"text is not a field here"']);
  });
});
