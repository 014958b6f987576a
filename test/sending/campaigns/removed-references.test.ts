/** What names an account or a campaign that is removed since: it stays as it is, can be changed, and can be sent again. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { groupsOf, untilCompleted, useTestApp, type Call } from '../../support/app.ts';
import { callIn, createTeam } from '../../support/team.ts';

type Body = Record<string, unknown>;

const app = await useTestApp({ sandboxSpeed: 0 });
await app.database.clock.set('2031-05-31T12:00:00Z');
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);

let names = 0;

/** Adds an account of its own for one test. */
async function addAccount(ask: Call): Promise<number> {
  const { account_id } = (await ask<{ account_id: number }>('venom/add-account', { name: `Account ${++names}` })).body
    .data;
  await ask('venom/sync-groups', { account_id });
  return account_id;
}

async function removeAccount(ask: Call, account_id: number): Promise<void> {
  await ask('venom/disconnect-account', { account_id });
  expect((await ask('venom/remove-account', { account_id })).status).toBe(200);
}

const plan = (extra: object) => ({
  name: 'Planned',
  html: 'Hello',
  group_metadata_ids: groups,
  is_schedule: true,
  start_date: '2031-06-10',
  end_date: '2031-06-12',
  schedule_time: '09:00:00',
  ...extra,
});

async function schedule(extra: object): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', plan(extra));
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}

/** A campaign that was sent, and is deleted by `forget`. */
async function sendEarlier(): Promise<{ campaign_id: string; forget: () => Promise<void> }> {
  const post = { name: 'Earlier', html: 'Before', group_metadata_ids: groups };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  await untilCompleted(alice.call, campaign_id);
  const forget = async () => {
    expect((await alice.call('venom/delete-campaign', { campaign_id })).status).toBe(200);
  };
  return { campaign_id, forget };
}

/** Each adds a reference to something, and removes it. */
const CASES: ReadonlyArray<[field: string, plant: () => Promise<{ extra: Body; remove: () => Promise<void> }>]> = [
  [
    'account_id',
    async () => {
      const account_id = await addAccount(alice.call);
      return { extra: { account_id }, remove: () => removeAccount(alice.call, account_id) };
    },
  ],
  [
    'reply_to',
    async () => {
      const { campaign_id, forget } = await sendEarlier();
      return { extra: { reply_to: { campaign_id } }, remove: forget };
    },
  ],
  [
    'follow_up',
    async () => {
      const { campaign_id, forget } = await sendEarlier();
      return { extra: { follow_up: { campaign_id, under_percent: 50 } }, remove: forget };
    },
  ],
];

test.each(CASES)('a planned campaign is changed and sent again without its %s', async (field, plant) => {
  const { extra, remove } = await plant();
  const campaign_id = await schedule(extra);
  await remove();
  const changed = await alice.call('venom/update-campaign', { campaign_id, html: 'Changed' });
  expect([changed.status, changed.body.message]).toEqual([200, undefined]);
  const read = (await alice.call<Body>('venom/get-campaign', { campaign_id })).body.data;
  expect(read['text']).toBe('Changed');
  const copy = (await alice.call<Body>('venom/duplicate-campaign', { campaign_id })).body.data;
  expect(copy[field] ?? null).toBeNull();
  expect((await alice.call('venom/add-campaign-batch', copy)).status).toBe(200);
});

test.each(CASES)('a copy of a campaign that nobody has changed has no %s', async (field, plant) => {
  const { extra, remove } = await plant();
  const campaign_id = await schedule(extra);
  await remove();
  const copy = (await alice.call<Body>('venom/duplicate-campaign', { campaign_id })).body.data;
  expect(copy[field] ?? null).toBeNull();
  expect((await alice.call('venom/add-campaign-batch', copy)).status).toBe(200);
});

test.each(CASES)('what never was there is no %s of a campaign', async (field) => {
  const unknown: Body = {
    account_id: 999_999,
    reply_to: { campaign_id: randomUUID() },
    follow_up: { campaign_id: randomUUID(), under_percent: 50 },
  };
  const campaign_id = await schedule({});
  const answer = await alice.call('venom/update-campaign', { campaign_id, html: 'Changed', [field]: unknown[field] });
  expect(answer).toMatchObject({ status: 404, body: { details: [{ field }] } });
});

test('a draft keeps the name of a removed account, and is saved', async () => {
  const account_id = await addAccount(alice.call);
  const draft_id = randomUUID();
  const draft = { draft_id, name: 'Draft', html: '<p>a</p>', account_id, group_metadata_ids: groups };
  expect((await alice.call('venom/save-draft', { ...draft, version: 0 })).status).toBe(200);
  await removeAccount(alice.call, account_id);
  expect((await alice.call('venom/save-draft', { ...draft, version: 1, html: '<p>b</p>' })).status).toBe(200);
});

test('a request for approval by a removed account is approved, and leaves by another', async () => {
  const team = await createTeam(app, 'news');
  const as = (member: 'owner' | 'author' | 'manager') =>
    ((path, body) => callIn(app, team.members[member], team.workspaceId, path, body)) as Call;
  const [owner, author, manager] = [as('owner'), as('author'), as('manager')] as const;
  await owner('workspace/set-approval-rules', { approval: 'authors' });
  const account_id = await addAccount(owner);
  const approval_id = randomUUID();
  const post = {
    name: 'Called',
    html: '<p>Hello</p>',
    account_id,
    group_metadata_ids: await groupsOf({ call: owner }),
  };
  const asked = await author<{ sha256: string }>('venom/request-approval', { ...post, approval_id });
  expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  const { sha256 } = asked.body.data;
  await removeAccount(owner, account_id);
  const decided = await manager<{ campaign_id: string }>('venom/decide-approval', {
    approval_id,
    sha256,
    decision: 'approve',
  });
  expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  const { campaign_id } = decided.body.data;
  await untilCompleted(owner, campaign_id);
});
