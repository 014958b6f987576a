/** The name of a file as recipients see it (contract §3, add-campaign). */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const { body } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const groups = body.data.groups.map((group) => group.group_metadata_id);

const image = PNG.toString('base64');
const post = () => ({ name: 'Fair', html: 'Hello', group_metadata_ids: groups.slice(0, 1) });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const missing = [{ field: 'file_name', issue: 'is the name of a file, and there is no file' }];

interface Named {
  file_name: string | null;
}
const nameOf = async (campaign_id: string) =>
  (await alice.call<Named>('venom/get-campaign', { campaign_id })).body.data.file_name;

async function scheduled(more: object): Promise<string> {
  const { status, headers } = await alice.call('venom/add-campaign-batch', { ...post(), ...schedule, ...more });
  expect(status).toBe(200);
  return headers.get('x-campaign-id') ?? '';
}

test('is kept and returned, without its extension', async () => {
  const id = await scheduled({ image, file_name: ' Spring fair: programme.pdf ' });
  expect(await nameOf(id)).toBe('Spring fair programme');
  const { body } = await alice.call<Named>('venom/duplicate-campaign', { campaign_id: id });
  expect(body.data.file_name).toBe('Spring fair programme');
  const again = await alice.call('venom/check-campaign', body.data);
  expect(again.status).toBe(200);
});

test('is null unless one was given', async () => {
  expect(await nameOf(await scheduled({ image }))).toBeNull();
});

test('without a file is a 400', async () => {
  for (const operation of ['add-campaign', 'add-campaign-batch', 'check-campaign']) {
    const body = { ...post(), ...(operation === 'add-campaign' ? { is_schedule: false } : schedule), file_name: 'x' };
    const answer = await alice.call(`venom/${operation}`, body);
    expect([operation, answer.body]).toMatchObject([operation, { code: 400, details: missing }]);
  }
});

test('changes by itself, is removed by name, and goes with its file', async () => {
  const campaign_id = await scheduled({ image, file_name: 'One' });
  const change = async (body: object) => {
    const { status } = await alice.call('venom/update-campaign', { campaign_id, ...body });
    return [status, await nameOf(campaign_id)];
  };
  expect(await change({ html: 'Other' })).toEqual([200, 'One']);
  expect(await change({ file_name: 'Two.png' })).toEqual([200, 'Two']);
  expect(await change({ remove: ['file_name'] })).toEqual([200, null]);
  expect(await change({ file_name: 'Three' })).toEqual([200, 'Three']);
  expect(await change({ image })).toEqual([200, null]);
  expect(await change({ file_name: 'Four' })).toEqual([200, 'Four']);
  expect(await change({ remove_image: true })).toEqual([200, null]);
  expect(await change({ file_name: 'Five' })).toEqual([400, null]);
});

test('is kept in drafts', async () => {
  const draft_id = randomUUID();
  const saved = await alice.call('venom/save-draft', { draft_id, version: 0, image, file_name: 'Programme.pdf' });
  expect(saved.status).toBe(200);
  const { body } = await alice.call<{ drafts: Array<{ content: Named }> }>('venom/list-drafts', { draft_id });
  expect(body.data.drafts[0]?.content.file_name).toBe('Programme.pdf');
});
