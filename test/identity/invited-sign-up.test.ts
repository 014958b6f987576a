/** Sign-up by an invitation to a workspace: a person without a workspace of their own is a member like any other. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMailLinks } from '../../src/platform/mail/mail-links.ts';
import { PASSWORD, startTestApp, type Answer, type Person, type TestApp } from '../support/app.ts';
import { createTestDatabase } from '../support/database.ts';
import { JWT_SECRET, startTestServer } from '../support/http/server.ts';
import { person, signIn } from '../support/people.ts';
import { createTeam, inWorkspace, listWorkspaces, type Team } from '../support/team.ts';

let app: TestApp;
/** Processes on the same database in which sign-up is not open. */
let closed: TestApp;
let invite: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  closed = await startTestApp({ role: 'api', signUp: 'closed' }, app.database);
  invite = await startTestApp({ role: 'api', signUp: 'invite' }, app.database);
});
afterAll(async () => {
  await closed.stop();
  await invite.stop();
  await app.stop();
});

let teams = 0;
const newTeam = () => createTeam(app, `crew-${++teams}`);
const ownerOf = ({ members, workspaceId }: Team) => inWorkspace(app, members.owner, workspaceId);
async function codeOf(team: Team, body: object = { role: 'author' }): Promise<string> {
  return (await ownerOf(team)<{ code: string }>('workspace/invite-member', body)).body.data.code;
}

const formOf = (name: string) => ({
  first_name: 'Nora',
  last_name: 'Lind',
  user_name: name,
  email: `${name}@example.com`,
  password: PASSWORD,
});
let names = 0;
const newName = () => `nora-${++names}`;
function signUp(code: string, name = newName(), at: Pick<TestApp, 'call'> = closed): Promise<Answer> {
  return at.call('user/accept_invite', { ...formOf(name), code });
}
const isVoid = expect.objectContaining({ code: 400, details: [expect.objectContaining({ field: 'code' })] });
async function isFree(name: string): Promise<boolean> {
  const { rows } = await sql`select from user_logins where login = ${name}`.execute(app.database.db);
  return rows.length === 0;
}

describe('an invitation to a workspace', () => {
  let team: Team;
  beforeAll(async () => {
    team = await newTeam();
    await ownerOf(team)('workspace/rename-workspace', { name: 'Newsroom' });
    await team.members.owner.call('user/update_profile', { first_name: 'Olga', last_name: 'Ek' });
  });

  test('says who invites, to which workspace and as what, to anyone who has the code', async () => {
    const named = await codeOf(team, { role: 'manager', email: 'Nora@example.com' });
    expect((await closed.call('workspace/get-invitation', { code: named })).body.data).toEqual({
      workspace_name: 'Newsroom',
      role: 'manager',
      invited_by: 'Olga Ek',
      email: 'Nora@example.com',
      expires_at: expect.any(String),
    });
    expect((await closed.call('workspace/get-invitation', { code: 'x'.repeat(43) })).body).toEqual(isVoid);
  });

  test.each(['invite', 'closed'] as const)(
    'lets a person in with sign-up %s: without a number, as a member and of nothing else',
    async (mode) => {
      const name = newName();
      const at = mode === 'closed' ? closed : invite;
      expect(
        (
          await at.call('user/create_user', {
            ...formOf(name),
            phone_number: '+49 151 1234567',
            whatsapp_number: '+49 151 1234567',
          })
        ).status,
      ).toBe(403);
      const answer = await signUp(await codeOf(team), name, at);
      expect(answer.body).toMatchObject({
        code: 200,
        data: { user_info: { user_name: name, phone_number: '', wharsapp_number: '' } },
      });
      const nora = await app.signIn(name);
      expect(await listWorkspaces(nora)).toMatchObject([
        { workspace_id: Number(team.workspaceId), name: 'Newsroom', role: 'author', is_default: true },
      ]);
      // Without naming the workspace.
      expect(
        (await nora.call('venom/save-draft', { draft_id: crypto.randomUUID(), version: 0, name: 'First' })).status,
      ).toBe(200);
      const log = await ownerOf(team)<{ entries: Array<{ action: string; user_name: string }> }>('user/list_audit_log');
      const theirs = log.body.data.entries.filter((entry) => entry.user_name === name).map(({ action }) => action);
      expect(theirs).toEqual(expect.arrayContaining(['user.signed_up', 'member.joined', 'draft.created']));
    },
  );

  test('needs an address if it names none, and stays valid when the sign-up fails', async () => {
    const code = await codeOf(team);
    const { email: _email, ...without } = formOf(newName());
    const missing = await closed.call('user/accept_invite', { ...without, code });
    expect(missing.body).toMatchObject({ code: 400, details: [{ field: 'email' }] });
    expect((await signUp(code, team.members.owner.name)).body).toMatchObject({ error_code: 'login_taken' });
    expect((await signUp(code)).status).toBe(200);
  });

  test('takes the address that it names, unless another is given', async () => {
    const [one, two] = [newName(), newName()];
    const { email: _email, ...without } = formOf(one);
    const code = await codeOf(team, { role: 'author', email: `${one}@parish.example` });
    const answer = await closed.call('user/accept_invite', { ...without, code });
    expect(answer.body).toMatchObject({ data: { user_info: { email: `${one}@parish.example` } } });
    const other = await signUp(await codeOf(team, { role: 'author', email: `${two}@parish.example` }), two);
    expect(other.body).toMatchObject({ data: { user_info: { email: `${two}@example.com` } } });
  });

  test('lets one person in of several at once, and leaves no user of the others', async () => {
    const code = await codeOf(team);
    const tried = Array.from({ length: 5 }, newName);
    const joining = team.members.analyst;
    const answers = await Promise.all(tried.map((name) => signUp(code, name)));
    const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body);
    expect(refused).toEqual(Array(4).fill(isVoid));
    const free = await Promise.all(tried.map(isFree));
    expect(free.filter(Boolean)).toHaveLength(4);
    expect((await joining.call('workspace/accept-invitation', { code })).body).toEqual(isVoid);
  });

  test('makes one user of a form that is sent twice at once', async () => {
    const code = await codeOf(team);
    const name = newName();
    const answers = await Promise.all([signUp(code, name), signUp(code, name, invite)]);
    const [made, other] = answers.toSorted((a, b) => a.status - b.status);
    expect(made?.status).toBe(200);
    expect([400, 409]).toContain(other?.status);
    expect(await listWorkspaces(await app.signIn(name))).toHaveLength(1);
  });

  test('lets nobody into a full workspace, and makes no user', async () => {
    const full = await newTeam();
    const code = await codeOf(full);
    await sql`
      with made as (
        insert into users (first_name, last_name, user_name, email, phone_number, whatsapp_number, whatsapp_digits, password_hash)
        select '', '', 'filler-' || n, '', '', '', '', '' from generate_series(1, 96) n returning user_id
      )
      insert into memberships (workspace_id, user_id, role)
      select ${full.workspaceId}::bigint, user_id, 'analyst' from made`.execute(app.database.db);
    const name = newName();
    expect((await signUp(code, name)).body).toMatchObject({ code: 409, error_code: 'member_limit_reached' });
    expect(await isFree(name)).toBe(true);
  });
});

describe('an invitation ends', () => {
  const expectVoid = async (code: string) => {
    const name = newName();
    expect((await signUp(code, name)).body).toEqual(isVoid);
    expect((await closed.call('workspace/get-invitation', { code })).body).toEqual(isVoid);
    expect(await isFree(name)).toBe(true);
  };

  test('after seven days and by a revocation', async () => {
    const team = await newTeam();
    const code = await codeOf(team);
    const made = await ownerOf(team)<{ code: string; invitation_id: number }>('workspace/invite-member', {
      role: 'author',
    });
    const { code: late, invitation_id } = made.body.data;
    await sql`update invitations set expires_at = campanile_now() where invitation_id = ${invitation_id}`.execute(
      app.database.db,
    );
    await expectVoid(late);
    const { invitations } = (
      await ownerOf(team)<{ invitations: Array<{ invitation_id: number }> }>('workspace/list-invitations')
    ).body.data;
    expect(invitations).toHaveLength(1);
    await ownerOf(team)('workspace/revoke-invitation', { invitation_id: invitations[0]?.invitation_id });
    await expectVoid(code);
  });

  test('with the membership of the person who made it: a removed owner does not come back by a link of their own', async () => {
    const team = await newTeam();
    const { owner, manager } = team.members;
    const code = await codeOf(team, { role: 'manager' });
    await ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId });
    expect((await closed.call('workspace/get-invitation', { code })).status).toBe(200);
    const present = inWorkspace(app, manager, team.workspaceId);
    await present('workspace/remove-member', { user_id: owner.userId });
    expect((await owner.call('workspace/accept-invitation', { code })).body).toEqual(isVoid);
    await expectVoid(code);
    expect((await present<{ invitations: unknown[] }>('workspace/list-invitations')).body.data.invitations).toEqual([]);
  });

  test('while an administrator has disabled the person who made it', async () => {
    const team = await newTeam();
    const code = await codeOf(team);
    const disabled = (at: string | null) =>
      sql`update users set disabled_at = ${at}::timestamptz where user_id = ${team.members.owner.userId}`.execute(
        app.database.db,
      );
    await disabled('2026-01-01');
    await expectVoid(code);
    await disabled(null);
    expect((await signUp(code)).status).toBe(200);
  });

  test('with its workspace', async () => {
    const owner = await app.signUp(`olga-${++teams}`);
    const { code } = (await owner.call<{ code: string }>('workspace/invite-member', { role: 'author' })).body.data;
    await owner.call('user/delete_account', { password: PASSWORD });
    await expectVoid(code);
  });
});

describe('a member without a workspace of their own', () => {
  let team: Team;
  let nora: Person;
  beforeAll(async () => {
    team = await newTeam();
    const name = newName();
    await signUp(await codeOf(team, { role: 'manager' }), name);
    nora = await app.signIn(name);
  });

  test('signs in, changes profile and password, and becomes the owner', async () => {
    expect((await nora.call('user/update_profile', { first_name: 'Eleonora', time_zone: 'Europe/Oslo' })).status).toBe(
      200,
    );
    expect((await nora.call('user/get_profile')).body.data).toMatchObject({ time_zone: 'Europe/Oslo' });
    expect((await ownerOf(team)('workspace/hand-over-workspace', { user_id: nora.userId })).status).toBe(200);
    expect(await listWorkspaces(nora)).toMatchObject([{ role: 'owner' }]);
    // The account has no number until its owner enters one, and cannot be linked without.
    for (const method of ['qr', 'pairing_code']) {
      const linking = await nora.call('venom/connect-account', { messenger: 'whatsapp', method });
      expect(linking.body, method).toMatchObject({ code: 409, error_code: 'number_missing' });
    }
    await nora.call('user/update_profile', { whatsapp_number: '+47 400 12 345' });
    expect((await nora.call('venom/account-status')).body.data).toMatchObject({ whatsapp_number: '+47 400 12 345' });
  });

  test('can be deleted', async () => {
    const name = newName();
    const { code } = (await nora.call<{ code: string }>('workspace/invite-member', { role: 'author' })).body.data;
    await signUp(code, name);
    const one = await app.signIn(name);
    expect((await one.call('user/delete_account', { password: PASSWORD })).status).toBe(200);
    expect(await isFree(name)).toBe(true);
  });
});

describe('an invitation by mail', () => {
  test('proves its address, and no other', async () => {
    const database = await createTestDatabase();
    const server = await startTestServer({ db: database.db, users: { hasMail: true, signUp: 'closed' } });
    try {
      const owner = await person(server, 'olga');
      const enter = async (email: string, given?: string) => {
        await server.post('/api/v1/workspace/invite-member', { role: 'author', email }, { token: owner.token });
        const { rows } = await sql<{ id: string }>`
          select mail_id as id from invitations order by invitation_id desc limit 1`.execute(database.db);
        const { user_name, ...rest } = formOf(newName());
        const form = { ...rest, user_name, email: given, code: createMailLinks(JWT_SECRET).codeOf(rows[0]?.id ?? '') };
        expect((await server.post('/api/v1/user/accept_invite', form)).status).toBe(200);
        const token = await signIn(server, { user_name, password: PASSWORD });
        const profile = await server.post('/api/v1/user/get_profile', {}, { token });
        return (profile.body as { data: { email_verified: boolean } }).data.email_verified;
      };
      expect(await enter('nora@example.com')).toBe(true);
      expect(await enter('Una@example.com', 'una@example.com')).toBe(true);
      expect(await enter('vera@example.com', 'other@example.com')).toBe(false);
    } finally {
      await server.close();
      await database.drop();
    }
  });
});
