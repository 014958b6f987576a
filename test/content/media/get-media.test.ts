/** A file of a campaign is returned to its owner only. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createClient } from '../../../clients/typescript/client.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { GIF, JPEG, PNG } from '../../support/inputs/sample-files.ts';

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const bob = await app.signUp('bob');

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function sendWith(person: Person, file: Buffer): Promise<string> {
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const answer = await person.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Fair',
    html: 'Hello',
    image: file.toString('base64'),
    group_metadata_ids: body.data.groups.map((group) => group.group_metadata_id),
  });
  expect(answer.status).toBe(200);
  return answer.body.data.campaign_id;
}

const download = (person: Person, sha256: string) =>
  fetch(`${app.url}/api/v1/venom/get-media`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
    body: JSON.stringify({ sha256 }),
  });

test('returns a file byte for byte by its hash, with headers that prevent its execution', async () => {
  const file = Buffer.concat([GIF, Buffer.alloc(100_000, 'x')]);
  const campaign_id = await sendWith(alice, file);
  const campaign = await alice.call<{ media: { sha256: string; mime: string } }>('venom/get-campaign', { campaign_id });
  const { sha256 } = campaign.body.data.media;
  const answer = await download(alice, sha256);
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/gif',
    'content-length': String(file.length),
    'content-disposition': `attachment; filename=${sha256.slice(0, 12)}.gif`,
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String) as string,
  });
});

test('accepts a hash in capitals, and rejects an invalid one with 400', async () => {
  await sendWith(alice, PNG);
  expect((await download(alice, hashOf(PNG).toUpperCase())).headers.get('content-type')).toBe('image/png');
  for (const odd of ['', 'x'.repeat(64), hashOf(PNG).slice(1), `${hashOf(PNG)}\n`])
    expect((await download(alice, odd)).status).toBe(400);
});

test('answers 404 to another user’s file, as to an unknown one, and returns one’s own copy of the same bytes', async () => {
  await sendWith(alice, JPEG);
  const [another, never] = [await download(bob, hashOf(JPEG)), await download(bob, '0'.repeat(64))];
  expect([another.status, never.status]).toEqual([404, 404]);
  const { request_id: _one, ...told } = (await another.json()) as Record<string, unknown>;
  const { request_id: _other, ...toldOfNone } = (await never.json()) as Record<string, unknown>;
  expect(told).toEqual(toldOfNone);
  await sendWith(bob, JPEG);
  expect((await download(bob, hashOf(JPEG))).status).toBe(200);
});

test('returns a file from the client as a blob of its type', async () => {
  await sendWith(alice, PNG);
  const mine = createClient({ url: app.url, token: alice.token });
  const blob = await mine.call('venom/get-media', { sha256: hashOf(PNG) });
  expect(blob.type).toBe('image/png');
  expect(Buffer.from(await blob.arrayBuffer()).equals(PNG)).toBe(true);
});
