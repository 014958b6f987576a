/** A post that is only a file (contract §3, add-campaign): every operation that takes a message takes one without text beside a file. */
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const groups = body.data.groups.map((group) => group.group_metadata_id);

const image = `data:image/png;base64,${PNG.toString('base64')}`;
const EMPTY = ['', ' \n ', '<p></p>', '<p> <br>&nbsp;</p>'];
const post = (html: string) => ({ name: 'Picture', html, group_metadata_ids: groups.slice(0, 1) });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const missing = { code: 400, details: [{ field: 'html', issue: 'has no text, and there is no file' }] };

interface Message {
  text: string;
  media: { mime: string } | null;
  corrected_at?: string | null;
}
const messages = async () =>
  (await alice.call<{ messages: Message[] }>('sandbox/list-messages', { group_metadata_id: groups[0], limit: 1_000 }))
    .body.data.messages;

async function scheduled(html: string, more: object): Promise<string> {
  const { status, headers } = await alice.call('venom/add-campaign-batch', { ...post(html), ...schedule, ...more });
  expect(status).toBe(200);
  return headers.get('x-campaign-id') ?? '';
}

describe.each(EMPTY)('html %j', (html) => {
  test('is sent with a file, and members see the file alone', async () => {
    const before = (await messages()).length;
    expect((await alice.call('venom/add-campaign', { ...post(html), image })).status).toBe(200);
    const list = await until(messages, (found) => found.length > before);
    expect(list.at(-1)).toMatchObject({ text: '', media: { mime: 'image/png' } });
  });

  test('is scheduled, checked and copied with a file', async () => {
    const campaign_id = await scheduled(html, { image });
    const copy = await alice.call('venom/duplicate-campaign', { campaign_id });
    expect((await alice.call('venom/add-campaign-batch', copy.body.data)).status).toBe(200);
    const checked = await alice.call('venom/check-campaign', { ...post(html), ...schedule, image });
    expect(checked.body).toMatchObject({ code: 200, data: { text: '', groups: { problems: [] } } });
  });

  test('is a 400 without a file', async () => {
    for (const none of [{}, { image: null }]) {
      expect((await alice.call('venom/add-campaign', { ...post(html), ...none })).body).toMatchObject(missing);
      const batch = { ...post(html), ...schedule, ...none };
      expect((await alice.call('venom/add-campaign-batch', batch)).body).toMatchObject(missing);
      expect((await alice.call('venom/check-campaign', batch)).body).toMatchObject(missing);
    }
    expect((await alice.call('venom/preview-campaign', { html })).body).toMatchObject(missing);
  });

  test('is previewed and checked for a file that is not sent along', async () => {
    const preview = await alice.call('venom/preview-campaign', { html, with_file: true });
    expect(preview.body).toMatchObject({ code: 200, data: { text: '', length: 0 } });
    const check = await alice.call('venom/check-campaign', { ...post(html), ...schedule, with_file: true });
    expect(check.body).toMatchObject({ code: 200, data: { text: '' } });
  });
});

test('a 400 names the missing text beside the other problems', async () => {
  const { body } = await alice.call('venom/add-campaign', { ...post(''), name: '' });
  expect(body.details?.map(({ field }) => field)).toEqual(['name', 'html']);
});

describe('a change', () => {
  test('may take the text of a campaign with a file, but not the file as well', async () => {
    const campaign_id = await scheduled('Hello', { image });
    const update = (change: object) => alice.call('venom/update-campaign', { campaign_id, ...change });
    expect((await update({ html: '<p></p>', remove_image: true })).body).toMatchObject(missing);
    expect((await update({ html: '<p></p>' })).status).toBe(200);
    expect((await update({ remove_image: true })).body).toMatchObject({
      code: 400,
      details: [{ field: 'remove_image', issue: 'leaves neither text nor file' }],
    });
    expect((await update({ html: 'Hello', remove_image: true })).status).toBe(200);
    expect((await update({ html: '' })).body).toMatchObject(missing);
    expect((await update({ html: '', image })).status).toBe(200);
  });
});

describe('a correction', () => {
  const sent = async (html: string, more: object) => {
    const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', { ...post(html), ...more });
    return body.data.campaign_id;
  };
  const correct = (campaign_id: string, html: string) => alice.call('venom/correct-campaign', { campaign_id, html });
  const shows = (text: string) => until(messages, (list) => list.some((one) => one.text === text && one.media));

  test('takes the text off a picture, and puts one below it', async () => {
    const campaign = await sent('Too much said', { image });
    await shows('Too much said');
    expect((await correct(campaign, '<p></p>')).status).toBe(200);
    await until(messages, (list) => list.every(({ text }) => text !== 'Too much said'));
    expect((await correct(campaign, 'Said better')).status).toBe(200);
    await shows('Said better');
  });

  test('is a 400 if it leaves a post with neither text nor file', async () => {
    expect((await correct(await sent('Only text', {}), '')).body).toMatchObject(missing);
  });
});

test('a draft without text keeps its file', async () => {
  const draft = { draft_id: crypto.randomUUID(), version: 0, html: '', image };
  expect((await alice.call('venom/save-draft', draft)).status).toBe(200);
});

test('two files without text are not the very same text', async () => {
  const first = await scheduled('', { image });
  expect(first).not.toBe('');
  const { body } = await alice.call('venom/check-campaign', { ...post(''), ...schedule, image });
  expect(body.data).toMatchObject({ groups: { problems: [] } });
});
