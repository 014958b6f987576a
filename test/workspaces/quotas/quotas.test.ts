import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { startTestApp, useTestApp, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';

const FILE_BYTES = 100_000;
const MOST = { storedBytes: 5 * FILE_BYTES, openCampaigns: 4, groupsPerDay: { sandbox: 3 }, accounts: 2 };

const app = await useTestApp({ quotas: MOST });

interface Quotas {
  stored_bytes: { used: number; limit: number };
  campaigns: { used: number; limit: number };
  groups_created: { used: number; limit: number } | null;
}

const quotasOf = async (person: Person) => (await person.call<{ quotas: Quotas }>('user/get_profile')).body.data.quotas;

async function groupOf(person: Person): Promise<number> {
  const { body } = await person.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  return body.data.groups[0]?.group_metadata_id ?? 0;
}

/** A unique picture of `FILE_BYTES`. */
function picture(mark: number): string {
  return Buffer.concat([PNG, Buffer.alloc(FILE_BYTES - PNG.length, `${mark} `)]).toString('base64');
}

const campaignWith = (group: number, image: string | null = null) => ({
  name: 'Fair',
  html: 'Fair',
  image,
  group_metadata_ids: [group],
});
const planned = (group: number) => ({
  ...campaignWith(group),
  is_schedule: true,
  start_date: '2099-01-01',
  end_date: '2099-01-01',
  schedule_time: '10:00:00',
});
const countOf = (answers: Array<{ status: number }>, status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('the files of a workspace', () => {
  const draft = (image: string) => ({
    draft_id: crypto.randomUUID(),
    version: 0,
    html: '',
    image,
    group_metadata_ids: [],
    is_schedule: false,
  });

  test('use at most the quota, also when they arrive at once, and a file above it is rejected with 507', async () => {
    const person = await app.signUp('stores');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, mark) => person.call('venom/save-draft', draft(picture(mark)))),
    );
    expect([countOf(answers, 200), countOf(answers, 507)]).toEqual([5, 7]);
    expect((await quotasOf(person)).stored_bytes).toEqual({ used: MOST.storedBytes, limit: MOST.storedBytes });
    const refused = await person.call('venom/add-campaign', campaignWith(await groupOf(person), picture(100)));
    expect(refused.body).toMatchObject({ code: 507, data: null });
    expect(refused.body.message).toMatch(/^The file has 0\.1 MB, and your files already use 0\.5 of 0\.5 MB\. Delete/);
    // A stored file takes no more room, and neither does a post without a file.
    const kept = answers.findIndex((answer) => answer.status === 200);
    expect((await person.call('venom/save-draft', draft(picture(kept)))).status).toBe(200);
    expect((await person.call('venom/add-campaign', campaignWith(await groupOf(person)))).status).toBe(200);
    // Another workspace is not affected.
    const other = await app.signUp('storesother');
    expect((await other.call('venom/save-draft', draft(picture(100)))).status).toBe(200);
  });

  test('add up to the recorded sum, after any saves and deletions', async () => {
    const rows = await readRows<{ told: number; real: number }>(app.database.db)`
      select stored_bytes as told, coalesce((select sum(octet_length(bytes)) from media m where m.workspace_id = w.workspace_id), 0)::bigint as real
      from workspaces w`;
    expect(rows.length).toBeGreaterThan(1);
    for (const { told, real } of rows) expect(told).toBe(real);
    await execute(app.database.db)`delete from drafts`;
    await execute(app.database.db)`delete from media`;
    const left = await readRows(app.database.db)`select from workspaces where stored_bytes <> 0`;
    expect(left).toEqual([]);
  });
});

test('limits the campaigns that are open, also when they arrive at once, until one ends', async () => {
  const person = await app.signUp('plans');
  const group = await groupOf(person);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => person.call('venom/add-campaign-batch', planned(group))),
  );
  expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([4, 6]);
  expect((await quotasOf(person)).campaigns).toEqual({ used: 4, limit: 4 });
  const refused = await person.call('venom/add-campaign', campaignWith(group));
  expect(refused.body.message).toBe(
    'You have reached the limit of 4 campaigns under way or planned. Cancel one, or wait for the end of one.',
  );
  const accepted = answers.find((answer) => answer.status === 200);
  await person.call('venom/cancel-campaign', { campaign_id: accepted?.headers.get('x-campaign-id') });
  expect((await person.call('venom/add-campaign', campaignWith(group))).status).toBe(200);
});

describe('the groups that a workspace creates in a day', () => {
  const create = (person: Person, name: string) =>
    person.call('venom/create-community', { community_name: name, description: '' });

  test('are limited to the quota, also when they are requested at once', async () => {
    const person = await app.signUp('creates');
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => create(person, `No. ${index}`)));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([3, 5]);
    expect((await quotasOf(person)).groups_created).toEqual({ used: 3, limit: 3 });
    const refused = await create(person, 'One more');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(refused.headers.get('ratelimit-policy')).toBe('"creation_limit_reached";q=3');
    expect(refused.headers.get('ratelimit')).toMatch(/^"creation_limit_reached";r=0;t=\d+$/);
    expect(refused.body.message).toMatch(
      /^You have reached the limit of 3 groups, communities and channels created in 24 hours/,
    );
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(86_000);
    expect(wait).toBeLessThanOrEqual(86_400);
    await app.database.clock.advance({ hours: 24 });
    expect((await create(person, 'The day after')).status).toBe(200);
  });

  test('do not count attempts that surely failed', async () => {
    const person = await app.signUp('fails');
    for (let round = 0; round < 5; round += 1) await create(person, `No. ${round}`);
    await execute(app.database.db)`
      update account_commands set status = 'failed', result = '{"outcomeUnknown": false}'
      where kind = 'create_community' and account_id = (select max(account_id) from accounts)`;
    expect((await quotasOf(person)).groups_created?.used).toBe(0);
    expect((await create(person, 'Again')).status).toBe(200);
  });

  test('are not limited on the sandbox by default', async () => {
    const other = await startTestApp({}, app.database);
    const person = await other.signIn('creates');
    expect((await quotasOf(person)).groups_created).toBeNull();
    expect((await create(person, 'More')).status).toBe(200);
    await other.stop();
  });
});

test('a workspace has at most the accounts of the quota', async () => {
  const person = await app.signUp('accounts');
  expect((await person.call('venom/add-account', { name: 'Second' })).status).toBe(200);
  const { status, body } = await person.call('venom/add-account', { name: 'Third' });
  expect(status).toBe(409);
  expect(body).toMatchObject({
    error_code: 'account_limit_reached',
    message: 'You have reached the limit of 2 accounts in a workspace. Remove one first.',
  });
});
