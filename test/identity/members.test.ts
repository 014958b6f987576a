/** Members of a workspace: invitations, roles, hand-over, removal and deletion. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { until } from '../support/ledger.ts';
import { listen } from '../support/http/listen.ts';
import { createTeam, callIn, defaultWorkspace, inWorkspace, join, listWorkspaces, type Team } from '../support/team.ts';
import type { WorkspaceId } from '../../src/platform/database/schema.ts';

let app: TestApp;
/** Another process on the same database. */
let other: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ role: 'api' }, app.database);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

let people = 0;
const newcomer = (name = 'person') => app.signUp(`${name}-${++people}`);
const newTeam = () => createTeam(app, `team-${++people}`);
const ownerOf = ({ members, workspaceId }: Team) => inWorkspace(app, members.owner, workspaceId);

describe('a person of before', () => {
  test('owns one workspace, and acts in it without naming it', async () => {
    const alice = await newcomer('alice');
    const workspaces = await listWorkspaces(alice);
    expect(workspaces).toEqual([
      {
        workspace_id: expect.any(Number),
        name: alice.name,
        role: 'owner',
        is_default: true,
        members: 1,
        failover_minutes: null,
        fails_back: true,
      },
    ]);
    const here = inWorkspace(app, alice, String(workspaces[0]?.workspace_id));
    expect((await here('venom/list-groups')).body.data).toEqual((await alice.call('venom/list-groups')).body.data);
  });
});

describe('an invitation', () => {
  let team: Team;
  beforeAll(async () => {
    team = await newTeam();
  });
  const invite = async (body: object) =>
    (await ownerOf(team)<{ code: string; invitation_id: number }>('workspace/invite-member', body)).body.data;

  test('by a link makes one person a member, with its role', async () => {
    const { code } = await invite({ role: 'author' });
    const [bob, bert] = [await newcomer('bob'), await newcomer('bert')];
    const answers = await Promise.all([bob, bert].map(({ call }) => call('workspace/accept-invitation', { code })));
    const [accepted, rejected] = answers.toSorted((a, b) => a.status - b.status);
    expect(accepted?.body.data).toEqual({
      workspace_id: Number(team.workspaceId),
      name: team.members.owner.name,
      role: 'author',
    });
    expect(rejected?.body).toMatchObject({ code: 400, details: [{ field: 'code' }] });
  });

  test('changes nothing of what its member means by default', async () => {
    const { code } = await invite({ role: 'manager' });
    const carol = await newcomer('carol');
    const before = await defaultWorkspace(carol);
    await carol.call('workspace/accept-invitation', { code });
    expect(await defaultWorkspace(carol)).toBe(before);
    expect((await listWorkspaces(carol)).map(({ role }) => role)).toEqual(['owner', 'manager']);
  });

  test('stays valid when a member opens it', async () => {
    const { code } = await invite({ role: 'analyst' });
    const again = await team.members.author.call('workspace/accept-invitation', { code });
    expect(again.body).toMatchObject({ code: 409, error_code: 'already_member' });
    expect((await (await newcomer()).call('workspace/accept-invitation', { code })).status).toBe(200);
  });

  test('is void after seven days, after a revocation, and after another one to the same address', async () => {
    const dave = await newcomer('dave');
    const accept = async ({ code }: { code: string }) =>
      (await dave.call('workspace/accept-invitation', { code })).status;
    const revoked = await invite({ role: 'author' });
    await ownerOf(team)('workspace/revoke-invitation', { invitation_id: revoked.invitation_id });
    expect(await accept(revoked)).toBe(400);
    const replaced = await invite({ role: 'author', email: 'Dave@example.com' });
    const newest = await invite({ role: 'analyst', email: 'dave@example.com' });
    expect(await accept(replaced)).toBe(400);
    await sql`update invitations set expires_at = campanile_now() where invitation_id = ${newest.invitation_id}`.execute(
      app.database.db,
    );
    expect(await accept(newest)).toBe(400);
    expect(await accept({ code: 'x'.repeat(43) })).toBe(400);
  });

  test('is listed without its code, which is stored only as a hash', async () => {
    const { code, invitation_id } = await invite({ role: 'author', email: 'erin@example.com' });
    const listed = await ownerOf(team)<{ invitations: object[] }>('workspace/list-invitations');
    expect(listed.body.data.invitations[0]).toEqual({
      invitation_id,
      role: 'author',
      email: 'erin@example.com',
      invited_by: team.members.owner.name,
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const { rows } = await sql`select i::text as row from invitations i`.execute(app.database.db);
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  test('cannot make an owner, and is revoked by its own workspace only', async () => {
    expect((await ownerOf(team)('workspace/invite-member', { role: 'owner' })).status).toBe(400);
    const { invitation_id } = await invite({ role: 'author' });
    const stranger = await newcomer('stranger');
    const tried = await stranger.call('workspace/revoke-invitation', { invitation_id });
    expect(tried.body).toMatchObject({ code: 404, error_code: 'workspace_invitation_not_found' });
  });

  test('is limited to 20 an hour', async () => {
    const { call } = await newcomer('frank');
    const answers = [];
    for (let count = 0; count < 21; count += 1) answers.push(await call('workspace/invite-member', { role: 'author' }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.at(-1)?.status).toBe(429);
  });
});

describe('a member', () => {
  test('loses a right within a second on every process when the role changes', async () => {
    const team = await newTeam();
    const { manager } = team.members;
    const add = async (at: TestApp) =>
      (await callIn(at, manager, team.workspaceId, 'venom/add-campaign', { name: 1 })).status;
    expect([await add(app), await add(other)]).toEqual([400, 400]);
    await ownerOf(team)('workspace/set-member-role', { user_id: manager.userId, role: 'analyst' });
    expect(await add(app)).toBe(403);
    await until(
      () => add(other),
      (status) => status === 403,
    );
  });

  test('is listed with the owner first, and with addresses for the owner alone', async () => {
    const team = await newTeam();
    const list = async (person: Person) =>
      (
        await callIn<{ members: Array<{ role: string; email?: string }> }>(
          app,
          person,
          team.workspaceId,
          'workspace/list-members',
        )
      ).body.data.members;
    expect((await list(team.members.owner)).map(({ role }) => role).toSorted()).toEqual([
      'analyst',
      'author',
      'manager',
      'owner',
    ]);
    expect((await list(team.members.owner))[0]).toMatchObject({ role: 'owner', email: expect.any(String) });
    expect((await list(team.members.manager)).filter(({ email }) => email !== undefined)).toEqual([]);
  });

  test('who is removed loses keys and open streams, and keeps what they made in the workspace', async () => {
    const team = await newTeam();
    const { manager } = team.members;
    const owner = ownerOf(team);
    await callIn(app, manager, team.workspaceId, 'venom/save-draft', {
      draft_id: randomUUID(),
      version: 0,
      name: 'Kept',
    });
    // A key of a former owner.
    expect((await owner('workspace/hand-over-workspace', { user_id: manager.userId })).status).toBe(200);
    const made = await callIn<{ key: string }>(app, manager, team.workspaceId, 'user/create_api_key', {
      name: 'k',
      scopes: ['read', 'send', 'admin'],
    });
    const { key } = made.body.data;
    const back = { user_id: team.members.owner.userId };
    expect((await callIn(app, manager, team.workspaceId, 'workspace/hand-over-workspace', back)).status).toBe(200);
    expect((await app.call('venom/create-webhook', {}, key)).body).toMatchObject({ error_code: 'role_missing' });
    expect((await app.call('venom/list-drafts', {}, key)).status).toBe(200);
    const stream = await listen(app.url, manager.token, undefined, team.workspaceId);
    await stream.snapshot();
    expect((await owner('workspace/remove-member', { user_id: manager.userId })).status).toBe(200);
    expect((await app.call('venom/list-drafts', {}, key)).status).toBe(401);
    await until(() => Promise.resolve(stream.hasEnded()), Boolean);
    expect((await owner('venom/list-drafts')).body.data).toMatchObject({ drafts: [{ name: 'Kept' }] });
  });

  test('who is removed while a file arrives does not put it into the library', async () => {
    const team = await newTeam();
    const { author } = team.members;
    let finish = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('The first half, '));
        finish = () => {
          controller.enqueue(new TextEncoder().encode('and the second.'));
          controller.close();
        };
      },
    });
    const uploading = fetch(`${app.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${author.token}`,
        'x-workspace': team.workspaceId,
        'content-type': 'text/plain',
      },
      body,
      duplex: 'half',
    } as RequestInit);
    // Long enough to arrive, and short enough to be let in without a second look.
    await sleep(300);
    await ownerOf(team)('workspace/remove-member', { user_id: author.userId });
    finish();
    expect((await uploading).status).toBe(404);
    const { files } = (await ownerOf(team)<{ files: unknown[] }>('media/list-media')).body.data;
    expect(files).toEqual([]);
  });

  test('leaves, and gets a new workspace if it was the only one', async () => {
    const team = await newTeam();
    const eve = await newcomer('eve');
    const hers = await defaultWorkspace(eve);
    const { owner } = team.members;
    await join(app, { owner: eve, workspaceId: hers, role: 'manager' }, owner);
    await eve.call('workspace/hand-over-workspace', { user_id: owner.userId });
    expect(await listWorkspaces(eve)).toMatchObject([
      { workspace_id: Number(hers), role: 'manager', is_default: true },
    ]);
    expect((await eve.call('workspace/leave-workspace')).status).toBe(200);
    expect(await listWorkspaces(eve)).toMatchObject([{ role: 'owner', members: 1 }]);
    expect(await defaultWorkspace(eve)).not.toBe(hers);
    expect((await eve.call('venom/account-status')).status).toBe(200);
  });

  test('sees no code that links a phone, unless they own the workspace', async () => {
    const team = await newTeam();
    await sql`
      update accounts set status = 'linking', qr = 'secret', code_expires_at = campanile_now() + interval '1 minute'
      where workspace_id = ${team.workspaceId}::bigint`.execute(app.database.db);
    expect((await ownerOf(team)('venom/account-status')).body.data).toMatchObject({ qr: 'secret' });
    const seen = await callIn(app, team.members.manager, team.workspaceId, 'venom/account-status');
    expect(seen.body.data).not.toHaveProperty('qr');
  });
});

describe('an owner', () => {
  test('neither leaves nor is removed nor gets another role, and hands over to a member only', async () => {
    const team = await newTeam();
    const { owner } = team.members;
    const call = ownerOf(team);
    const himself = { user_id: owner.userId };
    for (const [path, body] of [
      ['workspace/leave-workspace', {}],
      ['workspace/remove-member', himself],
      ['workspace/set-member-role', { ...himself, role: 'analyst' }],
    ] as const)
      expect((await call(path, body)).body, path).toMatchObject({ code: 409, error_code: 'hand_over_first' });
    const stranger = await newcomer('stranger');
    for (const path of ['remove-member', 'hand-over-workspace'])
      expect((await call(`workspace/${path}`, { user_id: stranger.userId })).body).toMatchObject({
        code: 404,
        error_code: 'member_not_found',
      });
  });

  test('of two hand-overs at once one takes place', async () => {
    const team = await newTeam();
    const to = [team.members.manager, team.members.author];
    const answers = await Promise.all(
      to.map(({ userId }) => ownerOf(team)('workspace/hand-over-workspace', { user_id: userId })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)[0]).toBe(200);
    const { rows } = await sql<{ owners: number }>`
      select count(*)::int as owners from memberships where workspace_id = ${team.workspaceId}::bigint and role = 'owner'`.execute(
      app.database.db,
    );
    expect(rows).toEqual([{ owners: 1 }]);
  });

  test('keeps the number of a linked account when handing over', async () => {
    const team = await newTeam();
    await sql`update accounts set linked_number = '491511234567' where workspace_id = ${team.workspaceId}::bigint`.execute(
      app.database.db,
    );
    const { manager, owner } = team.members;
    await manager.call('user/update_profile', { whatsapp_number: '+49 170 7654321' });
    await ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId });
    const status = await callIn(app, manager, team.workspaceId, 'venom/account-status', { with_history: true });
    expect(status.body.data).toMatchObject({ whatsapp_number: '+49 (151) 1234567', number_fixed: true });
    // The profile of the former owner is free again.
    expect((await owner.call('user/update_profile', { whatsapp_number: '+49 170 1111111' })).status).toBe(200);
  });

  test('of a workspace with other members must hand over before being deleted', async () => {
    const team = await newTeam();
    const { owner, manager } = team.members;
    const refused = await owner.call('user/delete_account', { password: PASSWORD });
    expect(refused.body).toMatchObject({ code: 409, error_code: 'hand_over_first' });
    await ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId });
    expect((await owner.call('user/delete_account', { password: PASSWORD })).status).toBe(200);
    expect((await callIn(app, manager, team.workspaceId, 'venom/list-groups')).status).toBe(200);
  });
});

test('a deleted member leaves the history of the workspace, without name and address', async () => {
  const team = await newTeam();
  const { author } = team.members;
  const log = async () =>
    (await ownerOf(team)<{ entries: Array<Record<string, string>> }>('user/list_audit_log')).body.data.entries.filter(
      ({ action }) => action === 'member.joined',
    );
  expect((await log()).map((entry) => entry['member_name'])).toContain(author.name);
  await author.call('user/delete_account', { password: PASSWORD });
  const mine = (entries: Array<Record<string, string>>) =>
    entries.filter(({ subject }) => subject === String(author.userId));
  const left = await until(
    async () => mine(await log()),
    ([entry]) => entry?.['address'] === '',
  );
  expect(left).toEqual([
    {
      at: expect.any(String),
      action: 'member.joined',
      subject: String(author.userId),
      user_id: author.userId,
      given_role: 'author',
      address: '',
    },
  ]);
});

test('managers and the owner get notices of the workspace, by their own settings, until they leave it', async () => {
  const team = await newTeam();
  const { owner, manager, author } = team.members;
  const call = inWorkspace(app, manager, team.workspaceId);
  const { groups } = (await call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body.data;
  await call('venom/add-campaign', {
    name: 'Fair',
    html: 'Hello',
    group_metadata_ids: groups.map(({ group_metadata_id: id }) => id),
  });
  const noticesOf = async (person: Person) =>
    (await person.call<{ notices: Array<{ kind: string; workspace_id: WorkspaceId }> }>('user/list_notices')).body.data
      .notices;
  for (const person of [owner, manager])
    await until(
      () => noticesOf(person),
      ([notice]) => notice?.kind === 'campaign_done',
    );
  expect(await noticesOf(manager)).toMatchObject([{ workspace_id: Number(team.workspaceId) }]);
  expect(await noticesOf(author)).toEqual([]);
  await call('workspace/leave-workspace');
  expect(await noticesOf(manager)).toEqual([]);
});

test('what is about the person stays in their own workspace', async () => {
  const team = await newTeam();
  const { manager } = team.members;
  const call = inWorkspace(app, manager, team.workspaceId);
  await call('user/update_profile', { first_name: 'Ada' });
  const actionsIn = async (entries: Promise<{ body: { data: { entries: Array<{ action: string }> } } }>) =>
    (await entries).body.data.entries.map(({ action }) => action);
  type Log = { entries: Array<{ action: string }> };
  expect(await actionsIn(manager.call<Log>('user/list_audit_log'))).toContain('user.profile_changed');
  expect(await actionsIn(ownerOf(team)<Log>('user/list_audit_log'))).not.toContain('user.profile_changed');
});

test('the audit log has the roles of members, given and former', async () => {
  const team = await newTeam();
  const { author } = team.members;
  await ownerOf(team)('workspace/set-member-role', { user_id: author.userId, role: 'manager' });
  const { entries } = (await ownerOf(team)<{ entries: Array<Record<string, string>> }>('user/list_audit_log')).body
    .data;
  const about = (action: string) =>
    entries.find((entry) => entry['action'] === action && entry['subject'] === String(author.userId));
  expect(about('member.role_changed')).toMatchObject({
    member_name: author.name,
    given_role: 'manager',
    former_role: 'author',
  });
  expect(about('member.joined')).toMatchObject({ given_role: 'author' });
  expect(about('member.joined')).not.toHaveProperty('former_role');
});

test('a person reads their own sign-ins whatever their role is, and no one else’s', async () => {
  const team = await newTeam();
  const { analyst, owner } = team.members;
  // Their only workspace is that of others: its audit log has their sign-ins.
  const own = await defaultWorkspace(analyst);
  await join(app, { owner: analyst, workspaceId: own, role: 'manager' }, owner);
  await inWorkspace(app, analyst, own)('workspace/hand-over-workspace', { user_id: owner.userId });
  await inWorkspace(app, analyst, own)('workspace/leave-workspace');
  await app.call('user/authorize_user', { user_name: analyst.name, password: 'wrong' });
  const again = await app.signIn(analyst.name);
  type Log = { entries: Array<{ action: string; user_name: string }>; next_cursor: string | null };
  const refused = await callIn(app, again, team.workspaceId, 'user/list_audit_log');
  expect(refused.body).toMatchObject({ code: 403, error_code: 'role_missing' });
  const { entries, next_cursor: cursor } = (await again.call<Log>('user/list_security_log', { limit: 2 })).body.data;
  expect(entries.map(({ action }) => action)).toEqual(['user.signed_in', 'user.sign_in_failed']);
  const rest = (await again.call<Log>('user/list_security_log', { cursor })).body.data.entries;
  expect(rest.map(({ action }) => action)).toEqual(['user.signed_in', 'user.signed_up']);
  expect(new Set([...entries, ...rest].map((entry) => entry.user_name))).toEqual(new Set([analyst.name]));
});
