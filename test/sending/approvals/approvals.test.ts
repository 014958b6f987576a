/** Posts that wait for an approval: asked for, judged, and accepted as campaigns (contract §4). */
import { randomUUID } from 'node:crypto';
import { execute, readColumn, readCount, readRows, sql } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { useTestApp, type Answer, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { callIn, createTeam, defaultWorkspace, join } from '../../support/team.ts';

interface Approval {
  approval_id: string;
  state: string;
  reason: string | null;
  version: number;
  sha256: string;
  approvals: number;
  approvals_needed: number;
  written_by: Array<{ user_id: number; user_name: string }>;
  waits_for: Array<{ user_id: number; user_name: string }>;
  may_decide: boolean;
  first_due_at: string | null;
  campaign_id: string | null;
}
interface Full extends Approval {
  text: string;
  post: Record<string, unknown>;
  groups: Array<{ group_metadata_id: number }>;
  difference: {
    fields: Array<{ field: string; pieces: Array<{ change: string; text: string }> }>;
    groups_added: number[];
    groups_removed: Array<{ group_metadata_id: number }>;
  } | null;
  thread: Array<{ kind: string; by: { user_name: string }; version: number; remark: string }>;
}
type Failure = Answer['body'] & { error_code?: string };

const app = await useTestApp({ role: 'api' });
const team = await createTeam(app, 'newsroom');
const second = await app.signUp('second');
await join(app, { owner: team.members.owner, workspaceId: team.workspaceId, role: 'manager' }, second);
const groups = await createGroups(team.workspaceId);
beforeEach(async () => {
  await app.database.clock.set('2031-03-01T00:00:00Z');
  await execute(app.database.db)`delete from approvals`;
  await rules({ approval: 'authors', over_groups: 0, approvers: 1 });
});

/** Three groups, since no worker syncs those of the sandbox. */
async function createGroups(workspaceId: string): Promise<number[]> {
  return readColumn<number>(app.database.db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, g || '@g.us', g || '@g.us', 'group'::group_kind, 'Group ' || g, 3, true
    from accounts, generate_series(1, 3) g where workspace_id = ${workspaceId} order by g returning group_id`;
}

type Who = 'owner' | 'manager' | 'author' | 'analyst' | 'second';
const personOf = (who: Who): Person => (who === 'second' ? second : team.members[who]);
const ask = <Data = Approval>(who: Who, path: string, body: object = {}) =>
  callIn<Data>(app, personOf(who), team.workspaceId, path, body);
async function say<Data = Approval>(who: Who, path: string, body: object = {}): Promise<Data> {
  const answer = await ask<Data>(who, path, body);
  expect(answer.body, path).toMatchObject({ code: 200 });
  return answer.body.data;
}
async function refusal(who: Who, path: string, body: object = {}): Promise<Failure> {
  return (await ask(who, path, body)).body as unknown as Failure;
}
const rules = (change: object) => say('owner', 'workspace/set-approval-rules', change);

const NOW = { name: 'Fair', html: '<p>We open at <b>nine</b> in the hall</p>', is_schedule: false };
const PLAN = {
  is_schedule: true,
  start_date: '2031-03-03',
  end_date: '2031-03-05',
  schedule_time: '09:00:00',
  time_zone: 'Europe/Berlin',
};
const request = (who: Who, fields: object = {}) =>
  say(who, 'venom/request-approval', { approval_id: randomUUID(), ...NOW, group_metadata_ids: groups, ...fields });
const decision = ({ approval_id, sha256 }: Approval, fields: object = {}) => ({
  approval_id,
  sha256,
  decision: 'approve',
  ...fields,
});
const decide = (who: Who, approval: Approval, fields: object = {}) =>
  say(who, 'venom/decide-approval', decision(approval, fields));
const read = (approval_id: string) => say<Full>('analyst', 'venom/get-approval', { approval_id });
const names = (people: Approval['waits_for']) => people.map((one) => one.user_name).toSorted();
async function campaigns(): Promise<number> {
  return readCount(app.database.db)`
    select count(*)::int as n from campaigns c join accounts a using (workspace_id) where a.workspace_id = ${team.workspaceId}`;
}

describe('asking', () => {
  test('is not possible where the workspace uses no approval, which is the default', async () => {
    const stranger = await app.signUp('stranger');
    const { body } = await stranger.call('venom/list-approvals');
    const none = { review_group_id: null, review_group_name: null, phone_approvers: [] };
    expect(body.data).toEqual({ rules: { approval: 'never', over_groups: 0, approvers: 1, ...none }, approvals: [] });
    await rules({ approval: 'never' });
    const body2 = { approval_id: randomUUID(), ...NOW, group_metadata_ids: groups };
    expect(await refusal('author', 'venom/request-approval', body2)).toMatchObject({
      code: 409,
      error_code: 'approval_not_used',
    });
  });

  test('waits for everybody who may decide, and sends nothing', async () => {
    const before = await campaigns();
    const approval = await request('author', { remark: 'Please look at the time' });
    expect(approval).toMatchObject({
      state: 'waiting',
      version: 1,
      approvals: 0,
      approvals_needed: 1,
      may_decide: false,
    });
    expect(names(approval.waits_for)).toEqual(['newsroom-manager', 'newsroom-owner', 'second']);
    expect(await read(approval.approval_id)).toMatchObject({
      text: 'We open at *nine* in the hall',
      post: { ...NOW, group_metadata_ids: groups },
      groups: groups.map((group_metadata_id) => ({ group_metadata_id })),
      difference: null,
      thread: [{ kind: 'asked', by: { user_name: 'newsroom-author' }, remark: 'Please look at the time' }],
    });
    expect(await campaigns()).toBe(before);
  });

  test('rejects what adding the campaign rejects', async () => {
    const body = { approval_id: randomUUID(), ...NOW, html: '<div>x</div>', group_metadata_ids: groups };
    expect(await refusal('author', 'venom/request-approval', body)).toMatchObject({ code: 400 });
    const foreign = { ...body, html: 'x', group_metadata_ids: [987_654_321] };
    expect(await refusal('author', 'venom/request-approval', foreign)).toMatchObject({ error_code: 'group_not_found' });
    const past = { ...body, html: 'x', ...PLAN, start_date: '2031-02-01', end_date: '2031-02-02' };
    expect(await refusal('author', 'venom/request-approval', past)).toMatchObject({ code: 400 });
  });

  test('changes nothing when it is repeated, and makes a further version of another post', async () => {
    const first = await request('author');
    const same = await request('author', { approval_id: first.approval_id });
    expect(same).toMatchObject({ version: 1, sha256: first.sha256 });
    for (const fields of [
      { html: 'Other' },
      { group_metadata_ids: groups.slice(1) },
      PLAN,
      { ...PLAN, schedule_time: '10:00:00' },
      { image: PNG.toString('base64') },
      { pin_for: '24h', group_metadata_ids: groups.slice(0, 1) },
    ]) {
      const before = await read(first.approval_id);
      const changed = await request('author', { approval_id: first.approval_id, ...fields });
      expect(changed, JSON.stringify(fields)).toMatchObject({ version: before.version + 1, state: 'waiting' });
      expect(changed.sha256).not.toBe(before.sha256);
    }
  });

  test('is limited to 100 open requests', async () => {
    const { approval_id } = await request('author');
    await execute(app.database.db)`
      insert into approvals (workspace_id, approval_id, hash, post, media_ids, asked_by)
      select workspace_id, gen_random_uuid(), hash, post, media_ids, asked_by
      from approvals, generate_series(1, 99) where approval_id = ${approval_id}`;
    const body = { approval_id: randomUUID(), ...NOW, group_metadata_ids: groups };
    expect(await refusal('author', 'venom/request-approval', body)).toMatchObject({
      error_code: 'approval_limit_reached',
    });
    await request('author', { approval_id, html: 'Changed all the same' });

    const isDone = sql<{ state: string }>`select state from approvals where approval_id = ${approval_id}`;
    await execute(app.database.db)`
      update approvals set first_due_at = campanile_now() where approval_id = ${approval_id}`;
    await request('author', { approval_id: body.approval_id });
    expect((await isDone.execute(app.database.db)).rows).toEqual([{ state: 'withdrawn' }]);
    // Nobody is there to change it.
    await execute(app.database.db)`
      update approvals set state = 'changes_requested', asked_by = 0 where approval_id = ${body.approval_id}`;
    await request('author', {});
    await execute(app.database.db)`update approvals set state = 'withdrawn' where state = 'waiting'`;
  });
});

describe('approving', () => {
  test('accepts the post as a campaign, with the plan and the zone that were asked for', async () => {
    const approval = await request('author', PLAN);
    expect(approval.first_due_at).toBe('2031-03-03T08:00:00.000Z');
    const approved = await decide('manager', approval);
    expect(approved).toMatchObject({ state: 'scheduled', waits_for: [], may_decide: false });
    const campaign = await say<{ runs: Array<{ due_at: string }> }>('analyst', 'venom/get-campaign', {
      campaign_id: approved.campaign_id,
    });
    expect(campaign).toMatchObject({ name: 'Fair', html: NOW.html, time_zone: 'Europe/Berlin', status: 'scheduled' });
    expect(campaign.runs.map((run) => run.due_at)).toEqual(
      ['03', '04', '05'].map((day) => `2031-03-${day}T08:00:00.000Z`),
    );
  });

  test('sends a post without a plan at once, with its file', async () => {
    const approval = await request('author', { image: PNG.toString('base64'), file_name: 'Plan.png' });
    const { campaign_id, state } = await decide('owner', approval);
    expect(state).toBe('sending');
    expect(await say('analyst', 'venom/get-campaign', { campaign_id })).toMatchObject({
      status: 'running',
      file_name: 'Plan',
      media: { mime: 'image/png' },
    });
  });

  test('makes one campaign, however often and by however many it is repeated at the same moment', async () => {
    const before = await campaigns();
    const approval = await request('author');
    const who: Who[] = ['owner', 'manager', 'second', 'owner', 'manager', 'second'];
    const answers = await Promise.all(who.map((one) => decide(one, approval)));
    expect(new Set(answers.map((answer) => answer.campaign_id)).size).toBe(1);
    expect((await decide('manager', approval)).campaign_id).toBe(answers[0]?.campaign_id);
    expect(await campaigns()).toBe(before + 1);
  });

  test('leaves nothing behind where the transaction ends before its commit', async () => {
    const before = await campaigns();
    const approval = await request('author');
    const { db } = app.database;
    // As a crash between the campaign and its commit.
    await execute(db)`
      create function test_crash() returns trigger language plpgsql as $$ begin
        if new.state = 'accepted' then raise exception 'crash' using errcode = '57P01'; end if; return new; end $$`;
    await execute(db)`create trigger test_crash before update on approvals for each row execute function test_crash()`;
    expect((await ask('manager', 'venom/decide-approval', decision(approval))).status).toBe(503);
    await execute(db)`drop trigger test_crash on approvals`;
    await execute(db)`drop function test_crash()`;
    expect(await campaigns()).toBe(before);
    expect(await read(approval.approval_id)).toMatchObject({ state: 'waiting', approvals: 0 });
    expect(await decide('manager', approval)).toMatchObject({ state: 'sending' });
    expect(await campaigns()).toBe(before + 1);
  });

  test('binds the version that was read', async () => {
    const first = await request('author');
    const changed = await request('author', { approval_id: first.approval_id, html: 'We open at ten' });
    expect(await refusal('manager', 'venom/decide-approval', decision(first))).toMatchObject({
      code: 409,
      error_code: 'approval_changed',
    });
    const { campaign_id } = await decide('manager', changed);
    expect(await say('analyst', 'venom/get-campaign', { campaign_id })).toMatchObject({ html: 'We open at ten' });
  });

  test.each([
    ['the groups', () => ({ group_metadata_ids: groups.slice(1) })],
    ['the plan', () => PLAN],
  ])('binds %s, too', async (_, fields) => {
    const first = await request('author');
    await request('author', { approval_id: first.approval_id, ...fields() });
    expect(await refusal('manager', 'venom/decide-approval', decision(first))).toMatchObject({
      error_code: 'approval_changed',
    });
  });

  test('binds the bytes of the files: an id names them within one database alone', async () => {
    const approval = await request('author', { image: PNG.toString('base64') });
    await execute(app.database.db)`update approvals set post = jsonb_set(post, '{sha256s}', '["00"]')`;
    expect(await refusal('manager', 'venom/decide-approval', decision(approval))).toMatchObject({
      error_code: 'approval_changed',
    });
  });

  test('binds the values that the groups had when it was asked for', async () => {
    const give = (name: string, value: string) =>
      say('manager', 'venom/set-group-fields', {
        groups: groups.map((group_metadata_id) => ({ group_metadata_id, fields: { [name]: value } })),
      });
    await say('manager', 'venom/set-fields', { fields: [{ name: 'host' }, { name: 'room' }] });
    await give('host', 'Ana');
    const fields = { approval_id: randomUUID(), html: 'Ask {{ host }} of {{ members }}', with_fields: true };
    const asked = await request('author', fields);
    expect(await read(asked.approval_id)).toMatchObject({ post: { with_fields: true } });
    // What the post does not say may change, and members come and go.
    await give('room', '7');
    await execute(app.database.db)`update groups set participants = participants + 1 where group_id = ${groups[0]}`;
    await rules({ approvers: 2 });
    expect(await decide('manager', asked)).toMatchObject({ state: 'waiting', approvals: 1 });
    await give('host', 'Ada');
    expect(await refusal('owner', 'venom/decide-approval', decision(asked))).toMatchObject({
      code: 409,
      error_code: 'approval_changed',
      message: expect.stringContaining('Values of its fields have changed'),
    });
    const again = await request('author', fields);
    expect(again).toMatchObject({ version: 2, approvals: 0 });
    await decide('manager', again);
    expect(await decide('owner', again)).toMatchObject({ campaign_id: expect.any(String) });
    const kept = await readColumn<string>(app.database.db)`
      select distinct v.field_values ->> 'host' from delivery_values v where v.workspace_id = ${team.workspaceId}`;
    expect(kept).toEqual(['Ada']);
  });

  test('does not accept a stored post that is not the one that was asked for', async () => {
    const approval = await request('author');
    await execute(app.database.db)`update approvals set post = jsonb_set(post, '{text}', '"Else"')`;
    expect(await refusal('manager', 'venom/decide-approval', decision(approval))).toMatchObject({
      error_code: 'approval_changed',
    });
  });

  test('says what stands in the way of the campaign, and records nothing', async () => {
    const approval = await request('author', { group_metadata_ids: [groups[0]] });
    const { db } = app.database;
    await execute(db)`update approvals set post = jsonb_set(post, '{groupIds}', '[987654321]')`;
    const rows = await readRows<{ post: object }>(db)`select post from approvals`;
    const { hashPost } = await import('../../../src/sending/approvals/asked-post.ts');
    const hash = hashPost(rows[0]?.post as never);
    await execute(db)`update approvals set hash = ${hash}`;
    const body = decision({ ...approval, sha256: hash.toString('hex') });
    expect(await refusal('manager', 'venom/decide-approval', body)).toMatchObject({ error_code: 'group_not_found' });
    expect(await read(approval.approval_id)).toMatchObject({ state: 'waiting', approvals: 0 });
  });

  test('takes two people where the workspace says so', async () => {
    await rules({ approvers: 2 });
    const before = await campaigns();
    const approval = await request('author');
    const once = await decide('manager', approval);
    expect(once).toMatchObject({ state: 'waiting', approvals: 1, approvals_needed: 2, campaign_id: null });
    expect(names(once.waits_for)).toEqual(['newsroom-owner', 'second']);
    expect(await decide('manager', approval)).toMatchObject({ state: 'waiting', approvals: 1 });
    expect(await campaigns()).toBe(before);
    expect(await decide('second', approval)).toMatchObject({ state: 'sending' });
    expect(await campaigns()).toBe(before + 1);
  });

  test('does not count for a changed post, nor from a person who may no longer decide', async () => {
    await rules({ approvers: 2 });
    const approval = await request('author');
    await decide('manager', approval);
    const changed = await request('author', { approval_id: approval.approval_id, html: 'Other' });
    expect(changed).toMatchObject({ approvals: 0, version: 2 });
    await decide('second', changed);
    await say('owner', 'workspace/set-member-role', { user_id: second.userId, role: 'author' });
    expect(await decide('manager', changed)).toMatchObject({ state: 'waiting', approvals: 1 });
    await say('owner', 'workspace/set-member-role', { user_id: second.userId, role: 'manager' });
    expect(await decide('manager', changed)).toMatchObject({ state: 'sending' });
  });
});

describe('nobody approves their own', () => {
  test('where another member could', async () => {
    await rules({ approval: 'all' });
    for (const who of ['owner', 'manager'] as const) {
      const approval = await request(who);
      expect(names(approval.waits_for)).not.toContain(personOf(who).name);
      for (const what of ['approve', 'request_changes', 'reject'])
        expect(await refusal(who, 'venom/decide-approval', decision(approval, { decision: what }))).toMatchObject({
          code: 403,
          error_code: 'approval_own',
        });
      expect(await decide('second', approval)).toMatchObject({ state: 'sending' });
    }
  });

  test('of a version of their own, even if somebody else asked first', async () => {
    const approval = await request('author');
    const changed = await request('manager', { approval_id: approval.approval_id, html: 'Mine' });
    expect(await refusal('manager', 'venom/decide-approval', decision(changed))).toMatchObject({ code: 403 });
  });

  test('of a post that they wrote a part of, even if somebody else sends the request last', async () => {
    const { approval_id } = await request('author');
    await request('manager', { approval_id, html: 'The text of the manager' });
    const last = await request('author', { approval_id, html: 'The text of the manager', name: 'Renamed' });
    expect(last).toMatchObject({
      version: 3,
      written_by: [{ user_name: 'newsroom-author' }, { user_name: 'newsroom-manager' }],
    });
    expect(names(last.waits_for)).toEqual(['newsroom-owner', 'second']);
    for (const what of ['approve', 'request_changes', 'reject'])
      expect(await refusal('manager', 'venom/decide-approval', decision(last, { decision: what }))).toMatchObject({
        code: 403,
        error_code: 'approval_own',
      });
    expect(await decide('second', last)).toMatchObject({ state: 'sending' });
  });

  test('of the same post that somebody else sends again after it was sent back', async () => {
    await rules({ approval: 'all' });
    const first = await request('manager');
    await decide('owner', first, { decision: 'request_changes' });
    const again = await request('author', { approval_id: first.approval_id });
    expect(await refusal('manager', 'venom/decide-approval', decision(again))).toMatchObject({ code: 403 });
    expect(await decide('owner', again)).toMatchObject({ state: 'sending' });
  });

  describe('of a text that somebody else asks for', () => {
    const words = 'The very words of the manager';
    const write = async (draft_id = randomUUID()) => {
      const fields = { draft_id, name: 'Fair', html: words, group_metadata_ids: groups };
      await say('manager', 'venom/save-draft', { ...fields, version: 0 });
      return draft_id;
    };
    const remove = (draft_id: string) => say('author', 'venom/delete-draft', { draft_id });
    const expectBound = async (asked: Awaited<ReturnType<typeof request>>) => {
      expect(names(asked.waits_for)).toEqual(['newsroom-owner', 'second']);
      expect(await refusal('manager', 'venom/decide-approval', decision(asked))).toMatchObject({ code: 403 });
    };

    test('after their draft was deleted, under its id with other words', async () => {
      const draft_id = await write();
      await remove(draft_id);
      await expectBound(await request('author', { approval_id: draft_id, html: 'Other words' }));
    });

    test('after their draft was deleted, under another id with the same words', async () => {
      await remove(await write());
      await expectBound(await request('author', { html: words }));
    });

    test('while their draft is there, under another id with the same words', async () => {
      await write();
      await expectBound(await request('author', { html: words }));
    });

    test('after their own request was withdrawn', async () => {
      await rules({ approval: 'all' });
      const html = 'Words that were in no draft';
      const { approval_id } = await request('manager', { html });
      await say('manager', 'venom/withdraw-approval', { approval_id });
      await expectBound(await request('author', { html }));
    });
  });

  test('of a draft that they changed before somebody else asked', async () => {
    const draft_id = randomUUID();
    const fields = { draft_id, name: 'Fair', html: 'By the author', group_metadata_ids: groups };
    const save = (who: Who, version: number, changed: object = {}) =>
      say<{ version: number }>(who, 'venom/save-draft', { ...fields, ...changed, version });
    await save('author', 0);
    await save('manager', 1, { html: 'By the manager' });
    // A form that saves what it has loaded changes nothing.
    await save('second', 2, { html: 'By the manager', idempotency_key: 'another' });
    const asked = await request('author', { approval_id: draft_id, html: 'By the manager' });
    expect(names(asked.waits_for)).toEqual(['newsroom-owner', 'second']);
    expect(await refusal('manager', 'venom/decide-approval', decision(asked))).toMatchObject({ code: 403 });
    // A person who mends the post once it is asked for has written it, too.
    await save('second', 3, { html: 'By the second' });
    const mended = await request('author', { approval_id: draft_id, html: 'By the second' });
    expect(names(mended.waits_for)).toEqual(['newsroom-owner']);
    expect(await decide('owner', mended)).toMatchObject({ state: 'sending' });
  });

  test('and where all have written, those decide who did not ask for this version', async () => {
    const { approval_id } = await request('owner');
    await request('manager', { approval_id, html: 'Mended' });
    const last = await request('second', { approval_id, html: 'Mended twice' });
    expect(names(last.waits_for)).toEqual(['newsroom-manager', 'newsroom-owner']);
    expect(await refusal('second', 'venom/decide-approval', decision(last))).toMatchObject({ code: 403 });
    expect(await decide('manager', last)).toMatchObject({ state: 'sending' });
  });

  test('except where they are the only one who could', async () => {
    const alone = await app.signUp('alone');
    await alone.call('workspace/set-approval-rules', { approval: 'all', approvers: 2 });
    const ids = await createGroups(await defaultWorkspace(alone));
    const post = { approval_id: randomUUID(), ...NOW, group_metadata_ids: ids };
    const asked = (await alone.call<Approval>('venom/request-approval', post)).body.data;
    expect(asked).toMatchObject({ may_decide: true, approvals_needed: 1 });
    expect((await alone.call<Approval>('venom/decide-approval', decision(asked))).body.data.state).toBe('sending');
  });

  test('nor do authors, analysts, and API keys in the name of somebody else', async () => {
    const approval = await request('author');
    for (const who of ['author', 'analyst'] as const)
      expect(await refusal(who, 'venom/decide-approval', decision(approval))).toMatchObject({
        error_code: 'role_missing',
      });
    const { key } = await say<{ key: string }>('owner', 'user/create_api_key', {
      name: 'all',
      scopes: ['read', 'write', 'send', 'webhooks', 'admin'],
    });
    const answer = await callIn(app, { token: key }, team.workspaceId, 'venom/decide-approval', decision(approval));
    expect(answer.body).toMatchObject({ code: 403, error_code: 'token_required' });
  });
});

describe('sending a post back', () => {
  test('gives it to the person who asked, with a remark, and shows what changed word by word', async () => {
    const approval = await request('author', PLAN);
    const back = await decide('manager', approval, { decision: 'request_changes', remark: 'Say who plays' });
    expect(back).toMatchObject({ state: 'changes_requested', campaign_id: null });
    expect(names(back.waits_for)).toEqual(['newsroom-author']);
    expect(await refusal('owner', 'venom/decide-approval', decision(approval))).toMatchObject({ code: 409 });
    await say('author', 'venom/remark-approval', { approval_id: approval.approval_id, remark: 'The choir' });
    const html = '<p>We open at <b>ten</b> in the hall</p>';
    const fields = { ...PLAN, approval_id: approval.approval_id, html, schedule_time: '10:00:00' };
    await request('author', { ...fields, group_metadata_ids: groups.slice(1) });
    const full = await read(approval.approval_id);
    expect(full).toMatchObject({ state: 'waiting', version: 2 });
    expect(full.difference).toMatchObject({
      fields: [
        {
          field: 'text',
          pieces: [
            { change: 'same', text: 'We open at ' },
            { change: 'removed', text: '*nine*' },
            { change: 'added', text: '*ten*' },
            { change: 'same', text: ' in the hall' },
          ],
        },
        {
          field: 'schedule_time',
          pieces: [
            { change: 'removed', text: '09:00:00' },
            { change: 'added', text: '10:00:00' },
          ],
        },
      ],
      groups_added: [],
      groups_removed: [{ group_metadata_id: groups[0] }],
    });
    expect(full.thread.map(({ kind, version, remark }) => [kind, version, remark])).toEqual([
      ['asked', 1, ''],
      ['changes_requested', 1, 'Say who plays'],
      ['remark', 1, 'The choir'],
      ['asked', 2, ''],
    ]);
  });

  test('takes the same request with the same post as asking again', async () => {
    const approval = await request('author');
    await decide('manager', approval, { decision: 'request_changes' });
    expect(await request('author', { approval_id: approval.approval_id })).toMatchObject({
      state: 'waiting',
      version: 2,
      sha256: approval.sha256,
    });
  });

  test('or rejecting it ends it', async () => {
    const approval = await request('author');
    expect(await decide('manager', approval, { decision: 'reject' })).toMatchObject({
      state: 'rejected',
      waits_for: [],
    });
    for (const who of ['manager', 'owner'] as const)
      expect(await refusal(who, 'venom/decide-approval', decision(approval))).toMatchObject({
        error_code: 'approval_decided',
      });
    const again = { approval_id: approval.approval_id, ...NOW, html: 'Else', group_metadata_ids: groups };
    expect(await refusal('author', 'venom/request-approval', again)).toMatchObject({ error_code: 'approval_decided' });
  });
});

describe('withdrawing', () => {
  test('is for the person who asked and for managers', async () => {
    const own = await request('author');
    expect(await say('author', 'venom/withdraw-approval', { approval_id: own.approval_id })).toMatchObject({
      state: 'withdrawn',
    });
    const ofOwner = await request('owner');
    const body = { approval_id: ofOwner.approval_id };
    expect(await refusal('author', 'venom/withdraw-approval', body)).toMatchObject({ error_code: 'role_missing' });
    expect(await say('manager', 'venom/withdraw-approval', body)).toMatchObject({ state: 'withdrawn' });
  });

  test('is not possible once it is a campaign', async () => {
    const approval = await request('author');
    await decide('manager', approval);
    expect(await refusal('author', 'venom/withdraw-approval', { approval_id: approval.approval_id })).toMatchObject({
      code: 409,
    });
  });
});

describe('a time that passes', () => {
  test('gives the post back with a reason, and nothing is sent', async () => {
    const before = await campaigns();
    const approval = await request('author', PLAN);
    await app.database.clock.set('2031-03-03T08:00:00Z');
    const listed = await say<{ approvals: Approval[] }>('author', 'venom/list-approvals');
    expect(listed.approvals).toMatchObject([{ state: 'changes_requested', reason: 'time_passed' }]);
    expect(names(listed.approvals[0]?.waits_for ?? [])).toEqual(['newsroom-author']);
    expect(await refusal('manager', 'venom/decide-approval', decision(approval))).toMatchObject({
      code: 409,
      error_code: 'approval_time_passed',
    });
    expect(await campaigns()).toBe(before);
    const again = await request('author', { ...PLAN, approval_id: approval.approval_id });
    expect(again).toMatchObject({ state: 'waiting', reason: null, version: 2 });
    expect(again.sha256, 'has fewer runs').not.toBe(approval.sha256);
    const { campaign_id } = await decide('manager', again);
    const { runs } = await say<{ runs: unknown[] }>('analyst', 'venom/get-campaign', { campaign_id });
    expect(runs).toHaveLength(2);
  });
});

describe('what is stored with a request', () => {
  test('is kept until it is closed, and then goes', async () => {
    const picture = Buffer.concat([PNG, Buffer.from('kept')]);
    const approval = await request('author', { image: picture.toString('base64') });
    const { db } = app.database;
    const kept = async () =>
      await readRows<{ media_id: number }>(db)`select media_id from media where size = ${picture.length}`;
    const drop = async () => {
      await app.database.clock.set('2031-04-01T00:00:00Z');
      for (let last: number | undefined = 0; last !== undefined;) last = await dropUnusedMedia(db, last);
    };
    await drop();
    const [file] = await kept();
    expect(file).toBeDefined();
    expect(await refusal('author', 'media/delete-media', file)).toMatchObject({ error_code: 'media_in_use' });
    await say('author', 'venom/withdraw-approval', { approval_id: approval.approval_id });
    await drop();
    expect(await kept()).toEqual([]);
  });

  test('has the name that a file has now', async () => {
    const upload = async (name: string) => {
      const answer = await fetch(`${app.url}/api/v1/media/upload`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${team.members.author.token}`,
          'x-workspace': team.workspaceId,
          'content-type': 'application/pdf',
          'x-file-name': name,
        },
        body: '%PDF-1.7\n%%EOF\n',
      });
      return ((await answer.json()) as { data: { media_id: number } }).data.media_id;
    };
    const media = [{ media_id: await upload('Programme.pdf') }];
    const approval = await request('author', { media });
    await upload('Insult.pdf');
    const { campaign_id } = await decide('manager', approval);
    expect(await say('analyst', 'venom/get-campaign', { campaign_id })).toMatchObject({
      files: [{ file_name: 'Programme' }],
    });
  });
});
