import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MEDIA_LIMIT } from '../../../src/content/media/decode-base64.ts';
import { useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { PNG, REFUSED, TAKEN } from '../../support/inputs/sample-files.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const group = body.data.groups[0]?.group_metadata_id ?? 0;

interface Message {
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
}

const send = (html: string, image: string, more: object = {}) =>
  alice.call('venom/add-campaign', { name: 'Fair', html, image, group_metadata_ids: [group], ...more });

/** Waits for the post with a text, and returns it as members see it. */
async function seen(text: string): Promise<Message | undefined> {
  const list = async () =>
    (await alice.call<{ messages: Message[] }>('sandbox/list-messages', { group_metadata_id: group, limit: 1_000 }))
      .body.data.messages;
  const messages = await until(list, (found) => found.some((message) => message.text === text));
  return messages.find((message) => message.text === text);
}

describe('a media file', () => {
  const kinds = TAKEN.filter(([name]) =>
    ['AVIF', 'MP4', 'MOV', 'MP3', 'AAC', 'WAV', 'WebM', 'BMP', 'VCF', 'PDF', 'DOCX', 'empty ZIP'].includes(name),
  );

  test.each(kinds)('%s is shown to members with its type', async (name, bytes, mime) => {
    expect((await send(name, bytes.toString('base64'))).status).toBe(200);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect((await seen(name))?.media).toEqual({ mime, size: bytes.length, sha256 });
  });

  test.each(['text/plain', 'text/csv'])('of the type %s is a document if its data URL says so', async (mime) => {
    const bytes = Buffer.from(`type;number\n${mime};1\n`);
    expect((await send(mime, `data:${mime};base64,${bytes.toString('base64')}`)).status).toBe(200);
    expect((await seen(mime))?.media).toMatchObject({ mime, size: bytes.length });
    expect((await send('bare text', bytes.toString('base64'))).body).toMatchObject({ code: 400 });
  });

  test('has the type of its bytes, whatever its data URL claims', async () => {
    await send('a lie', `data:application/pdf;base64,${PNG.toString('base64')}`);
    expect((await seen('a lie'))?.media?.mime).toBe('image/png');
  });

  test.each(REFUSED.map(([name, bytes]) => [name, bytes] as const))('%s is rejected', async (_name, bytes) => {
    const answer = await send('x', `data:image/png;base64,${bytes.toString('base64')}`);
    expect(answer.body).toMatchObject({ code: 400, details: [{ field: 'image' }] });
  });

  test.each([
    ['without padding', PNG.toString('base64').replaceAll('=', '')],
    ['in the URL-safe alphabet', PNG.toString('base64url')],
    ['with line breaks', PNG.toString('base64').replaceAll(/.{20}/g, '$&\r\n')],
  ])('is taken %s', async (how, base64) => {
    for (const [head, text] of [
      ['', `bare ${how}`],
      ['data:image/png;base64,', `data URL ${how}`],
    ] as const) {
      expect((await send(text, head + base64)).status).toBe(200);
      expect((await seen(text))?.media?.size).toBe(PNG.length);
    }
  });

  test('is none if it is an empty string', async () => {
    expect((await send('without a file', '')).status).toBe(200);
    expect((await seen('without a file'))?.media).toBe(null);
    expect((await alice.call('venom/create-channel', { name: 'News', description: '', image: '' })).status).toBe(200);
    const draft_id = crypto.randomUUID();
    const image = PNG.toString('base64');
    await alice.call('venom/save-draft', { draft_id, version: 0, image });
    await alice.call('venom/save-draft', { draft_id, version: 1, name: 'x', image: '' });
    const { body } = await alice.call<{ drafts: { media: object | null }[] }>('venom/list-drafts', { draft_id });
    expect(body.data.drafts[0]?.media).toMatchObject({ mime: 'image/png' });
  });

  test('is limited to 16 MiB', async () => {
    const most = Buffer.alloc(MEDIA_LIMIT);
    PNG.copy(most);
    expect((await send('the most', most.toString('base64'))).status).toBe(200);
    expect((await seen('the most'))?.media?.size).toBe(MEDIA_LIMIT);
    const more = await send('too much', Buffer.concat([most, Buffer.alloc(1)]).toString('base64'));
    expect(more.body).toMatchObject({ code: 400, details: [{ field: 'image', issue: 'is larger than 16 MiB' }] });
  });
});

describe('problems of a post', () => {
  const html = '<div><div><img><a href="x:y">a</a><a href="x:y">b</a>';
  const problems = [
    { field: 'html', issue: 'has tags that are not allowed: <div>, <img>' },
    { field: 'image', issue: 'is not valid base64' },
  ];

  test('are reported all at once, each once, for html and media', async () => {
    expect((await send(html, 'no base64!')).body.details).toMatchObject(problems);
  });

  test('include those of the schedule', async () => {
    const answer = await alice.call('venom/add-campaign-batch', {
      name: 'Fair',
      html,
      image: 'no base64!',
      group_metadata_ids: [group],
      is_schedule: true,
      start_date: '2030-01-02',
      end_date: '2030-01-01',
      schedule_time: '09:00:00',
    });
    expect(answer.body.details).toMatchObject([...problems, { field: 'end_date', issue: 'is before start_date' }]);
  });
});

test('returns the text of a preview, its length, the limit, and warnings', async () => {
  const text = `${'long text '.repeat(110)}end`;
  const html = `<ul><li>${text}<ul><li>b</li></ul></li></ul><a href="https://x.org/">c</a> <b>www.x.org</b>`;
  const { body } = await alice.call<{ text: string; warnings: { code: string; message: string }[] }>(
    'venom/preview-campaign',
    { html },
  );
  const expected = `- ${text}\n- ◦ b\n\nc (https://x.org/) www.x.org`;
  expect(body.data).toMatchObject({ text: expected, length: expected.length, limit: 65_536 });
  expect(body.data.warnings.map(({ code }) => code)).toEqual([
    'list_flattened',
    'link_text_differs',
    'mark_not_kept',
    'caption_too_long',
  ]);
});
