import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import { hashBody } from '../../../src/workspaces/idempotency/hash-body.ts';
import { actOnce, createOnce, type IdempotencyKey } from '../../../src/workspaces/idempotency/once.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { actorOf } from '../../support/workspaces.ts';

let app: TestApp;
let alice: Person;
let workspaceId: WorkspaceId;
let bob: Person;
beforeAll(async () => {
  app = await startTestApp();
  alice = await app.signUp('alice');
  bob = await app.signUp('bob');
  ({ workspaceId } = await actorOf(app.database.db, alice));
});
afterAll(() => app.stop());

let keys = 0;
const newKey = () => `key ${++keys}`;

async function send(person: Person, path: string, body: unknown, key: string): Promise<Answer> {
  const response = await fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}`, 'idempotency-key': key },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

async function postTo(person: Person, name = 'Once') {
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  return { name, html: 'Hello', group_metadata_ids: body.data.groups.map((group) => group.group_metadata_id) };
}

const campaignsOf = async (person: Person, search: string) =>
  (await person.call<{ campaigns: unknown[] }>('venom/list-campaigns', { search, limit: 200 })).body.data.campaigns;

describe('repeated requests with the same key and body', () => {
  test('create one campaign and get one answer when fifty arrive at once', async () => {
    const body = await postTo(alice, 'Fifty');
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(alice, 'venom/add-campaign', body, key)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await campaignsOf(alice, 'Fifty')).toHaveLength(1);
  });

  test('get the first answer, even if the JSON is formatted differently', async () => {
    const body = await postTo(alice, 'Again');
    const key = newKey();
    const first = await send(alice, 'venom/add-campaign', body, key);
    const reordered = JSON.stringify(
      Object.fromEntries(Object.entries({ ...body, desc: null, unknown: 1 }).toReversed()),
      null,
      2,
    );
    expect((await send(alice, 'venom/add-campaign', reordered, key)).body).toEqual(first.body);
    expect(await campaignsOf(alice, 'Again')).toHaveLength(1);
  });

  test('get the id of a schedule even after its time has passed', async () => {
    await app.database.clock.set('2033-01-01T00:00:00Z');
    const when = { is_schedule: true, start_date: '2033-01-01', end_date: '2033-01-01', schedule_time: '09:00:00' };
    const body = { ...(await postTo(bob, 'Past')), ...when };
    const key = newKey();
    const first = await send(bob, 'venom/add-campaign-batch', body, key);
    expect(first.status).toBe(200);
    await app.database.clock.set('2033-01-01T12:00:00Z');
    const again = await send(bob, 'venom/add-campaign-batch', body, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-campaign-id')).toBe(first.headers.get('x-campaign-id'));
    expect((await send(bob, 'venom/add-campaign-batch', body, newKey())).status).toBe(400);
  });

  test.each([
    ['channel', 'venom/create-channel', { name: 'Keyed', description: 'd', image: null }],
    ['community', 'venom/create-community', { community_name: 'Keyed' }],
    ['group', 'venom/create-group', { group_name: 'Keyed', participants: ['4915112345'] }],
  ])('create one %s', async (kind, path, body) => {
    const key = newKey();
    const first = await send(alice, path, body, key);
    expect(first.status).toBe(200);
    expect((await send(alice, path, body, key)).body).toEqual(first.body);
    const { body: listed } = await alice.call<{ groups: unknown[] }>('venom/list-groups', { search: 'keyed', kind });
    expect(listed.data.groups).toHaveLength(1);
  });

  test('compare the file, however large', async () => {
    const picture = (last: number) => Buffer.concat([PNG, Buffer.alloc(400_000, last)]).toString('base64');
    const body = { ...(await postTo(alice, 'Large')), image: picture(1) };
    const key = newKey();
    const first = await send(alice, 'venom/add-campaign', body, key);
    expect(first.status).toBe(200);
    expect((await send(alice, 'venom/add-campaign', body, key)).body).toEqual(first.body);
    expect((await send(alice, 'venom/add-campaign', { ...body, image: picture(2) }, key)).status).toBe(422);
    expect(await campaignsOf(alice, 'Large')).toHaveLength(1);
  });

  test('count as a new request after 24 hours', async () => {
    const body = await postTo(alice, 'Tomorrow');
    const key = newKey();
    const first = await send(alice, 'venom/add-campaign', body, key);
    await app.database.clock.advance({ hours: 24, seconds: 1 });
    const later = await send(alice, 'venom/add-campaign', body, key);
    expect(later.status).toBe(200);
    expect(later.body.data).not.toEqual(first.body.data);
  });
});

describe('an idempotency key', () => {
  test('is rejected with another body and for another operation', async () => {
    const body = await postTo(alice, 'First');
    const key = newKey();
    await send(alice, 'venom/add-campaign', body, key);
    const other = await send(alice, 'venom/add-campaign', { ...body, html: 'Other' }, key);
    expect(other.body).toMatchObject({ code: 422, error_code: 'idempotency_key_reused' });
    expect((await send(alice, 'venom/create-community', { community_name: 'x' }, key)).status).toBe(422);
  });

  test('is scoped to its user', async () => {
    const key = newKey();
    const answers = [
      await send(alice, 'venom/add-campaign', await postTo(alice), key),
      await send(bob, 'venom/add-campaign', await postTo(bob), key),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  });

  test('is not consumed by a rejected request', async () => {
    const body = await postTo(alice, 'Mended');
    const key = newKey();
    expect((await send(alice, 'venom/add-campaign', { ...body, html: '<table>' }, key)).status).toBe(400);
    expect((await send(alice, 'venom/add-campaign', { ...body, group_metadata_ids: [999_999] }, key)).status).toBe(404);
    expect((await send(alice, 'venom/add-campaign', body, key)).status).toBe(200);
  });

  test('has 1 to 255 characters', async () => {
    const body = await postTo(alice, 'Length');
    expect((await send(alice, 'venom/add-campaign', body, 'k'.repeat(255))).status).toBe(200);
    for (const key of ['', 'k'.repeat(256)]) {
      const { status, body: answer } = await send(alice, 'venom/add-campaign', body, key);
      expect(status).toBe(400);
      expect(answer.details).toMatchObject([{ field: 'Idempotency-Key' }]);
    }
  });
});

describe('a repeated creation whose first attempt', () => {
  const keyOf = (key: string): IdempotencyKey => ({
    workspaceId,
    key,
    operation: '/api/v1/venom/create-community',
    bodyHash: hashBody({ community_name: 'Lost', description: '' }),
    arrivedMs: Date.now(),
  });
  const repeat = (key: string) => send(alice, 'venom/create-community', { community_name: 'Lost' }, key);

  test('is in progress or died is answered 409 and creates nothing', async () => {
    const key = newKey();
    // The row of a process that died after it had requested the community.
    await sql`
      insert into idempotency_keys (workspace_id, key, operation, body_hash)
      values (${workspaceId}, ${key}, ${keyOf(key).operation}, ${keyOf(key).bodyHash})`.execute(app.database.db);
    expect((await repeat(key)).body).toMatchObject({ code: 409, message: expect.stringContaining('has not finished') });
    await app.database.clock.advance({ minutes: 5 });
    expect((await repeat(key)).body).toMatchObject({
      code: 409,
      message: expect.stringContaining('The outcome is unknown: sync your groups'),
    });
    const { body } = await alice.call<{ groups: unknown[] }>('venom/list-groups', { search: 'Lost' });
    expect(body.data.groups).toEqual([]);
  });

  test('has waited while the machine slept has no effect: what the repeat stored may be too old to be found', async () => {
    const key = { ...keyOf(newKey()), arrivedMs: Date.now() - 25 * 3_600_000 };
    const late = app.database.db.transaction().execute((trx) => actOnce(trx, key, () => Promise.resolve(1)));
    await expect(late).rejects.toMatchObject({ code: 'database_slow' });
    const made = { act: () => Promise.resolve(1), record: () => Promise.resolve(1) };
    await expect(createOnce(app.database.db, key, made)).rejects.toMatchObject({ code: 'database_slow' });
    expect((await repeat(key.key)).status).toBe(200);
  });

  test.each([
    ['failed without effect runs again', false, 200],
    ['has an unknown outcome is answered 409', true, 409],
  ])('%s', async (_what, outcomeUnknown, status) => {
    const key = newKey();
    const act = () => Promise.reject(new AppError('outcome_unknown', 'no answer', { outcomeUnknown }));
    const attempt = createOnce(app.database.db, keyOf(key), { act, record: () => Promise.resolve(1) });
    await expect(attempt).rejects.toMatchObject({ message: 'no answer' });
    expect((await repeat(key)).status).toBe(status);
  });
});
