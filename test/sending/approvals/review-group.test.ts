/** Approval on the phone: posts that wait are shown in a review group, and answers there decide (contract §4, approval). */
import { randomUUID } from 'node:crypto';
import { execute, readColumn, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseWhatsApp } from '../../../src/content/text/parse-whatsapp.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { startTestApp, type Answer, type Person, type TestApp } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { callIn, createTeam, join, type Team } from '../../support/team.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface Approval {
  approval_id: string;
  state: string;
  version: number;
  sha256: string;
  approvals: number;
  campaign_id: string | null;
}
interface Full extends Approval {
  review_campaign_id: string | null;
  thread: Array<{ kind: string; by: { user_name: string }; version: number; remark: string; on_phone: boolean }>;
}
interface Message {
  message_id: string;
  text: string;
  media: { mime: string } | null;
}
type Who = 'owner' | 'manager' | 'author' | 'analyst' | 'second';

const NUMBERS: Record<Who, string> = {
  owner: '15557000001',
  manager: '15557000002',
  author: '15557000003',
  analyst: '15557000004',
  second: '15557000005',
};

let app: TestApp;
let team: Team;
let second: Person;
let accountId: AccountId;
let review: number;
let groups: number[];

beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  team = await createTeam(app, 'desk');
  second = await app.signUp('second');
  await join(app, { owner: team.members.owner, workspaceId: team.workspaceId, role: 'manager' }, second);
  const listed = await say<{ groups: Array<{ group_metadata_id: number }> }>('owner', 'venom/list-groups');
  const [first = 0, ...others] = listed.groups.map((group) => group.group_metadata_id);
  review = first;
  groups = others;
  const rows = await readRows<{ account_id: AccountId }>(app.database.db)`
    select account_id from accounts where workspace_id = ${team.workspaceId}`;
  accountId = rows[0]?.account_id ?? (0 as AccountId);
});
beforeEach(async () => {
  await execute(app.database.db)`delete from approvals`;
  await execute(app.database.db)`delete from approval_reviews`;
  await execute(app.database.db)`
    update memberships set role = 'manager' where user_id = ${second.userId} and role <> 'owner'`;
  await rules({
    approval: 'authors',
    approvers: 1,
    review_group_id: review,
    phone_approvers: listOf('owner', 'manager', 'second'),
  });
});
afterAll(() => app.stop());

const personOf = (who: Who): Person => (who === 'second' ? second : team.members[who]);
const listOf = (...members: Who[]) =>
  members.map((who) => ({ user_id: personOf(who).userId, whatsapp_number: `+${NUMBERS[who]}` }));
const ask = <Data = Approval>(who: Who, path: string, body: object = {}) =>
  callIn<Data>(app, personOf(who), team.workspaceId, path, body);
async function say<Data = Approval>(who: Who, path: string, body: object = {}): Promise<Data> {
  const answer = await ask<Data>(who, path, body);
  expect(answer.body, path).toMatchObject({ code: 200 });
  return answer.body.data;
}
type Failure = Answer['body'] & { error_code?: string };
const refusal = async (who: Who, path: string, body: object) => (await ask(who, path, body)).body as unknown as Failure;
const rules = (change: object) => say<object>('owner', 'workspace/set-approval-rules', change);
const read = (approval_id: string) => say<Full>('analyst', 'venom/get-approval', { approval_id });

const NOW = { name: 'Fair', html: '<p>We open at <b>nine</b></p>', is_schedule: false };
const PLAN = {
  is_schedule: true,
  start_date: '2130-03-03',
  end_date: '2130-03-05',
  schedule_time: '09:00:00',
  time_zone: 'Europe/Berlin',
};
const request = (who: Who, fields: object = {}) =>
  say(who, 'venom/request-approval', { approval_id: randomUUID(), ...NOW, group_metadata_ids: groups, ...fields });

const list = () =>
  say<{ messages: Message[] }>('owner', 'sandbox/list-messages', { group_metadata_id: review, limit: 1_000 });

/** The posts in the review group, without those of earlier tests. */
async function shown(count: number, after = 0): Promise<Message[]> {
  const { messages } = await until(list, ({ messages: found }) => found.length >= after + count);
  return messages.slice(after);
}
const countShown = async () => (await list()).messages.length;

/** Asks, and waits until the review group has the post. One of an earlier test may arrive meanwhile. */
async function posted(who: Who, fields: object = {}) {
  const approval = await request(who, fields);
  const ids = await readColumn<string>(app.database.db)`
    select d.message_id from approval_reviews v
    join runs r on r.campaign_id = v.campaign_id
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
    where v.approval_id = ${approval.approval_id}`;
  const find = async () => (await list()).messages.find(({ message_id }) => ids.includes(message_id));
  const message = await until(find, (found) => found !== undefined);
  if (!message) throw new Error('nothing was posted');
  return { approval, message };
}

type Answered = Extract<MemberEvent, { kind: 'answered' }>;
const answer = (message: Message, number: string | undefined, fields: Partial<Answered> = {}): Answered => ({
  kind: 'answered',
  accountId,
  messageIds: [message.message_id],
  participant: number ?? '',
  number,
  remark: null,
  at: new Date(),
  ...fields,
});
const happen = (...events: MemberEvent[]) => recordReceipts(app.database.db, events);
const like = (message: Message, who: Who) => happen(answer(message, NUMBERS[who]));

/** Waits until every answer that can be acted upon is. */
async function settled(): Promise<void> {
  const left = () =>
    sql<{ n: number }>`select count(*)::int as n from review_answers where number is not null`.execute(app.database.db);
  await until(left, ({ rows }) => rows[0]?.n === 0);
}

async function stateAfter(approval: Approval): Promise<Full> {
  await settled();
  return read(approval.approval_id);
}

describe('the rules', () => {
  test('name the review group for all, and the numbers of approvers for the owner alone', async () => {
    const { rules: seen } = await say<{ rules: object }>('owner', 'venom/list-approvals');
    expect(seen).toMatchObject({ review_group_id: review });
    expect(seen).toMatchObject({
      phone_approvers: expect.arrayContaining([
        { user_id: personOf('manager').userId, whatsapp_number: NUMBERS.manager },
      ]),
    });
    for (const who of ['manager', 'author', 'analyst'] as const) {
      const { rules: others } = await say<{ rules: object }>(who, 'venom/list-approvals');
      expect(others).toMatchObject({ review_group_id: review });
      expect(others).not.toHaveProperty('phone_approvers');
    }
    expect(await rules({ review_group_id: 'none', phone_approvers: [] })).toMatchObject({
      review_group_id: null,
      phone_approvers: [],
    });
  });

  test('reject groups that cannot be reviewed in, strangers, and a number that two people have', async () => {
    const path = 'workspace/set-approval-rules';
    expect(await refusal('owner', path, { review_group_id: 987_654_321 })).toMatchObject({ code: 404 });
    const rows = await readRows<{ group_id: number }>(app.database.db)`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      values (${team.workspaceId}, '1@newsletter', '1@newsletter', 'channel', 'News', 3, true),
             (${team.workspaceId}, '77@g.us', '77@g.us', 'group', 'Admins only', 3, false) returning group_id`;
    for (const { group_id } of rows)
      expect(await refusal('owner', path, { review_group_id: group_id })).toMatchObject({
        code: 400,
        details: [{ field: 'review_group_id', issue: expect.stringContaining('may post to') }],
      });
    const stranger = { user_id: 987_654_321, whatsapp_number: '4915199999999' };
    const [one, other] = listOf('owner', 'manager');
    expect(await refusal('owner', path, { phone_approvers: [one, stranger] })).toMatchObject({
      code: 400,
      details: [{ field: 'phone_approvers.1.user_id' }],
    });
    const twice = [one, { ...other, whatsapp_number: NUMBERS.owner }];
    expect(await refusal('owner', path, { phone_approvers: twice })).toMatchObject({ code: 400 });
    const broken = [{ ...one, whatsapp_number: 'none' }];
    expect(await refusal('owner', path, { phone_approvers: broken })).toMatchObject({
      code: 400,
      details: [{ field: 'phone_approvers.0.whatsapp_number' }],
    });
    expect(await refusal('manager', path, { review_group_id: 'none' })).toMatchObject({ error_code: 'role_missing' });
  });

  test.each([
    ['+55 11 91234-5678', '+55 11 1234-5678'],
    ['+52 1 55 1234 5678', '+52 55 1234 5678'],
    ['+54 11 2345 6789', '+54 9 11 2345 6789'],
  ])('reject one number of two people, written %s and %s', async (one, other) => {
    const [owner, manager] = listOf('owner', 'manager');
    const phone_approvers = [
      { ...owner, whatsapp_number: one },
      { ...manager, whatsapp_number: other },
    ];
    expect(await refusal('owner', 'workspace/set-approval-rules', { phone_approvers })).toMatchObject({
      code: 400,
      details: [{ field: 'phone_approvers', code: 'not_distinct' }],
    });
  });

  test.each(['\u202a+1 555 700-0002\u202c', '＋１５５５７００ ０００２', '+١٥٥٥٧٠٠٠٠٠٢'])(
    'take a number written as %j',
    async (whatsapp_number) => {
      const [manager] = listOf('manager');
      expect(await rules({ phone_approvers: [{ ...manager, whatsapp_number }] })).toMatchObject({
        phone_approvers: [{ whatsapp_number: NUMBERS.manager }],
      });
    },
  );
});

describe('the review post', () => {
  test('shows who asks, when and to whom it would leave, and the post with its file', async () => {
    const { approval, message } = await posted('author', { ...PLAN, image: PNG.toString('base64') });
    expect(message.text).toContain('Asked by desk-author');
    expect(message.text).toContain('3 March 2130');
    expect(message.text).toContain('5 March 2130');
    expect(message.text).toMatch(/09:00:00/);
    expect(message.text).toContain('Running club');
    expect(message.text).toMatch(/\nWe open at \*nine\*$/);
    expect(message.media).toMatchObject({ mime: 'image/png' });
    const { review_campaign_id: campaign_id } = await read(approval.approval_id);
    expect(await say('analyst', 'venom/get-campaign', { campaign_id })).toMatchObject({ name: 'Review: Fair' });
    const { campaigns } = await say<{ campaigns: object[] }>('analyst', 'venom/list-campaigns');
    expect(campaigns).not.toContainEqual(expect.objectContaining({ campaign_id }));
  });

  test('shows the names of groups as they are, without marks and signs of direction', async () => {
    const names = ['*Free* _beer_\n👍', '\u202eelpoep', '~a~ `b` \u2067c'];
    for (const [index, group_id] of groups.entries())
      await execute(app.database.db)`update groups set name = ${names[index] ?? ''} where group_id = ${group_id}`;
    const { message } = await posted('author');
    const line = message.text.split('\n').find((one) => one.startsWith('To:')) ?? '';
    expect(line).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(parseWhatsApp(line).flatMap(({ runs }) => runs.flatMap(({ styles }) => styles))).toEqual([]);
    expect(line.replaceAll('\u034f', '')).toContain('*Free* _beer_ 👍, elpoep');
  });

  test('writes a poll out, and mentions nobody', async () => {
    const poll = { question: 'When?', options: ['Friday', 'Sunday'] };
    const asked = await posted('author', { html: '', poll });
    expect(asked.message.text).toMatch(/\*When\?\*\n○ Friday\n○ Sunday$/);
    const all = await posted('author', { mention_all: true });
    expect(all.message.text).toContain('Mentions everyone');
    expect(all.message.text).not.toContain('@all');
  });

  test('goes there once for each version, and not without a review group', async () => {
    const before = await countShown();
    const approval = await request('author');
    await request('author', { approval_id: approval.approval_id });
    await shown(1, before);
    await request('author', { approval_id: approval.approval_id, html: 'Other' });
    const [, changed] = await shown(2, before);
    expect(changed?.text).toContain('version 2');
    await rules({ review_group_id: 'none' });
    const alone = await request('author');
    expect((await read(alone.approval_id)).review_campaign_id).toBeNull();
    expect(await countShown()).toBe(before + 2);
  });

  test('does not leave any more once it was changed or decided on', async () => {
    const before = await countShown();
    await say('owner', 'venom/update-account', { quiet_hours: { from: '00:00', to: '23:59' } });
    const approval = await request('author');
    const { review_campaign_id: first } = await read(approval.approval_id);
    await request('author', { approval_id: approval.approval_id, html: 'Other' });
    const { review_campaign_id: later } = await read(approval.approval_id);
    const statusOf = async (campaign_id: string | null) =>
      (await say<{ status: string }>('owner', 'venom/get-campaign', { campaign_id })).status;
    expect(await statusOf(first)).toBe('cancelled');
    expect(await statusOf(later)).toBe('running');
    await say('author', 'venom/withdraw-approval', { approval_id: approval.approval_id });
    expect(await statusOf(later)).toBe('cancelled');
    await say('owner', 'venom/update-account', { quiet_hours: 'none' });
    expect(await countShown()).toBe(before);
  });

  test('cannot be corrected: the approvers would approve another text than they read', async () => {
    const { approval } = await posted('author');
    const { review_campaign_id: campaign_id } = await read(approval.approval_id);
    expect(await refusal('manager', 'venom/correct-campaign', { campaign_id, html: 'Harmless' })).toMatchObject({
      code: 409,
      error_code: 'campaign_wrong_state',
    });
  });

  test('makes no notice of its own that a campaign is complete', async () => {
    const { approval, message } = await posted('author');
    const { review_campaign_id: shownAs } = await read(approval.approval_id);
    const isDone = async (campaign_id: string | null) =>
      (await say<{ status: string }>('owner', 'venom/get-campaign', { campaign_id })).status === 'completed';
    await until(() => isDone(shownAs), Boolean);
    await like(message, 'manager');
    await settled();
    const { campaign_id } = await read(approval.approval_id);
    const listed = async () => {
      const { body } = await ask<{ notices: Array<{ kind: string; campaign: { campaign_id: string } | null }> }>(
        'manager',
        'user/list_notices',
      );
      return body.data.notices.flatMap(({ kind, campaign }) =>
        kind === 'campaign_done' && campaign ? [campaign.campaign_id] : [],
      );
    };
    expect(await until(listed, (ids) => ids.includes(campaign_id ?? ''))).not.toContain(shownAs);
  });

  test('is limited to 50 a day', async () => {
    const { approval } = await posted('author');
    await execute(app.database.db)`
      with copies as (
        insert into campaigns (workspace_id, name, description, is_channel_campaign, is_test, is_schedule, skip_dates, status, open_runs)
        select ${team.workspaceId}, 'Copy', '', false, true, false, '{}', 'cancelled', 0 from generate_series(1, 49) returning campaign_id)
      insert into approval_reviews (campaign_id, workspace_id, approval_id, version, hash, asked_by)
      select c.campaign_id, workspace_id, approval_id, 9, hash, asked_by from approval_reviews v, copies c
      where approval_id = ${approval.approval_id}`;
    const body = { approval_id: randomUUID(), ...NOW, group_metadata_ids: groups };
    const { headers } = await ask('author', 'venom/request-approval', body);
    expect(headers.get('x-campanile-warnings')).toContain('50 posts within 24 hours');
    expect((await read(body.approval_id)).review_campaign_id).toBeNull();
  });
});

describe('a 👍', () => {
  test('of a listed approver accepts the campaign, once, and says that it came from the phone', async () => {
    const { approval, message } = await posted('author', { name: 'Once' });
    await happen(answer(message, NUMBERS.manager), answer(message, NUMBERS.manager), answer(message, NUMBERS.owner));
    await like(message, 'manager');
    const after = await stateAfter(approval);
    expect(after).toMatchObject({ state: 'sending', campaign_id: expect.any(String) });
    expect(after.thread).toMatchObject([
      { kind: 'asked', on_phone: false },
      { kind: 'approved', by: { user_name: 'desk-manager' }, version: 1, on_phone: true },
    ]);
    const { entries } = await say<{ entries: Array<{ action: string; changes: object[] }> }>(
      'owner',
      'user/list_audit_log',
    );
    expect(entries.find(({ action }) => action === 'approval.approved')).toMatchObject({
      user_name: 'desk-manager',
      changes: [{ field: 'decided_on', after: 'phone' }],
    });
    const rows = await readRows<{ n: number }>(app.database.db)`
      select count(*)::int as n from campaigns where name = 'Once' and not is_test and workspace_id = ${team.workspaceId}`;
    await like(message, 'second');
    await settled();
    expect(rows[0]?.n).toBe(1);
  });

  test('counts under the number that the owner lists, whatever a profile says, and not of anybody else', async () => {
    const { approval, message } = await posted('author');
    await rules({ phone_approvers: listOf('manager') });
    await execute(app.database.db)`
      update users set whatsapp_digits = ${NUMBERS.second} where user_id = ${second.userId}`;
    await like(message, 'second');
    await like(message, 'author');
    await happen(answer(message, '4915177777777'));
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'sending' });
  });

  test('of the person who asked does nothing', async () => {
    const { approval, message } = await posted('manager');
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
  });

  test('of a listed author, a demoted manager and a removed one does nothing', async () => {
    await rules({ phone_approvers: listOf('author', 'second') });
    const { approval, message } = await posted('manager');
    await like(message, 'author');
    await say('owner', 'workspace/set-member-role', { user_id: second.userId, role: 'author' });
    await like(message, 'second');
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
    const third = await app.signUp(`third${randomUUID().slice(0, 8)}`);
    await join(app, { owner: team.members.owner, workspaceId: team.workspaceId, role: 'manager' }, third);
    const listed = [{ user_id: third.userId, whatsapp_number: '15557000009' }];
    await rules({ phone_approvers: listed });
    await say('owner', 'workspace/remove-member', { user_id: third.userId });
    await happen(answer(message, '15557000009'));
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
    expect(await rules({})).toMatchObject({ phone_approvers: [] });
  });

  test('of two different people is needed where two approve', async () => {
    await rules({ approvers: 2 });
    const { approval, message } = await posted('author');
    await like(message, 'manager');
    await settled();
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 1 });
    await like(message, 'second');
    expect(await stateAfter(approval)).toMatchObject({ state: 'sending', approvals: 2 });
  });

  test('on the post of an earlier version does nothing', async () => {
    const { approval, message } = await posted('author');
    const before = await countShown();
    await request('author', { approval_id: approval.approval_id, html: 'Other' });
    await shown(1, before);
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', version: 2, approvals: 0 });
    // The same content again, asked for once more after changes were requested.
    const { version, sha256 } = await request('author', { approval_id: approval.approval_id });
    expect({ version, sha256 }).toEqual({ version: 3, sha256: approval.sha256 });
    await like(message, 'second');
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', version: 3, approvals: 0 });
  });

  test('on a post whose list was deleted since is one for the groups that the list had', async () => {
    const saved = { name: 'All', group_metadata_ids: groups };
    const { group_list_id } = await say<{ group_list_id: number }>('owner', 'venom/save-group-list', saved);
    const { approval, message } = await posted('author', { group_metadata_ids: [], group_list_ids: [group_list_id] });
    await say('owner', 'venom/delete-group-list', { group_list_id });
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'sending', group_count: groups.length });
  });

  test.each([
    ['another version', [{ html: 'Other' }], 2],
    ['a further version, also if it is the same post again', [{ html: 'Other' }, {}], 3],
  ])('that waited meanwhile does not approve %s', async (_, changes, version) => {
    const { approval, message } = await posted('author');
    await happen(answer(message, undefined, { participant: '77000000001@lid' }));
    for (const change of changes) await request('author', { approval_id: approval.approval_id, ...change });
    const alias = `${NUMBERS.manager}@s.whatsapp.net`;
    await happen({ kind: 'same', accountId, participant: '77000000001@lid', alias });
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', version, approvals: 0 });
  });

  test('of a person whose number is not known yet counts when it is', async () => {
    const { approval, message } = await posted('author');
    await happen(answer(message, undefined, { participant: '77000000002@lid' }));
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
    const alias = `${NUMBERS.manager}@s.whatsapp.net`;
    await happen({ kind: 'same', accountId, participant: '77000000002@lid', alias });
    expect(await stateAfter(approval)).toMatchObject({ state: 'sending' });
  });

  test('counts under a Brazilian number with and without its ninth digit', async () => {
    const [manager] = listOf('manager');
    await rules({ phone_approvers: [{ ...manager, whatsapp_number: '+55 11 91234-5678' }] });
    const { approval, message } = await posted('author');
    await happen(answer(message, '551112345678'));
    expect(await stateAfter(approval)).toMatchObject({ state: 'sending' });
  });

  test('after the time of the post does not send it', async () => {
    const { approval, message } = await posted('author', PLAN);
    await execute(app.database.db)`
      update approvals set first_due_at = campanile_now() - interval '1 second'
      where approval_id = ${approval.approval_id}`;
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'changes_requested', campaign_id: null });
  });

  test('on a post that cannot be accepted says why in the thread', async () => {
    const { approval, message } = await posted('author');
    await execute(app.database.db)`
      update approvals set post = jsonb_set(post, '{groupIds}', '[987654321]') where approval_id = ${approval.approval_id}`;
    await execute(app.database.db)`
      update approvals set hash = ${Buffer.alloc(32, 1)} where approval_id = ${approval.approval_id}`;
    await like(message, 'manager');
    // The stored post is no longer the one that was shown.
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting', approvals: 0 });
    const gone = await posted('author', { group_metadata_ids: groups.slice(0, 1) });
    await execute(app.database.db)`
      update groups set workspace_id = (select max(workspace_id) from workspaces where workspace_id <> ${team.workspaceId})
      where group_id = ${groups[0]}`;
    await like(gone.message, 'manager');
    const after = await stateAfter(gone.approval);
    await execute(app.database.db)`update groups set workspace_id = ${team.workspaceId} where group_id = ${groups[0]}`;
    expect(after).toMatchObject({ state: 'waiting', approvals: 0 });
    expect(after.thread.at(-1)).toMatchObject({
      kind: 'remark',
      by: { user_name: 'desk-manager' },
      remark: expect.stringContaining('group'),
      on_phone: true,
    });
  });
});

describe('a reply', () => {
  test('of a listed approver sends the post back with its text', async () => {
    const { approval, message } = await posted('author');
    await happen(answer(message, NUMBERS.author, { remark: 'I like it' }));
    expect(await stateAfter(approval)).toMatchObject({ state: 'waiting' });
    await happen(answer(message, NUMBERS.second, { remark: 'Nine is too early' }));
    const after = await stateAfter(approval);
    expect(after).toMatchObject({ state: 'changes_requested', campaign_id: null });
    expect(after.thread.at(-1)).toMatchObject({
      kind: 'changes_requested',
      by: { user_name: 'second' },
      remark: 'Nine is too early',
      on_phone: true,
    });
    await like(message, 'manager');
    expect(await stateAfter(approval)).toMatchObject({ state: 'changes_requested', campaign_id: null });
  });
});

test('answers to other posts are not kept', async () => {
  const { campaign_id } = await say<{ campaign_id: string }>('manager', 'venom/add-campaign', {
    ...NOW,
    group_metadata_ids: [review],
  });
  const before = await countShown();
  await until(
    () => say<{ status: string }>('owner', 'venom/get-campaign', { campaign_id }),
    ({ status }) => status === 'completed',
  );
  const message = (await shown(0)).at(-1);
  if (!message) throw new Error('nothing was posted');
  expect(before).toBeGreaterThan(0);
  await happen(answer(message, NUMBERS.manager, { remark: 'A secret' }));
  const rows = await readRows(app.database.db)`select from review_answers`;
  expect(rows).toEqual([]);
});
