import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, signIn, signUpOf, type Person } from '../support/people.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/http/server.ts';

let database: TestDatabase;
const servers: TestServer[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await database.drop();
});

async function serverWith(users: NonNullable<TestServerOptions['users']>) {
  const server = await startTestServer({ db: database.db, users });
  servers.push(server);
  return server;
}

const signUp = (server: TestServer, name: string) => server.post('/api/v1/user/create_user', signUpOf(name));
const dataOf = <Data>(answer: { body: unknown }) => (answer.body as { data: Data }).data;

describe('the first user', () => {
  test.each(['open', 'invite', 'closed'] as const)(
    'is accepted and becomes administrator with sign-up %s, also among many at once',
    async (signUpMode) => {
      const server = await serverWith({ signUp: signUpMode });
      const names = ['one', 'two', 'three', 'four', 'five'];
      const answers = await Promise.all(names.map((name) => signUp(server, name)));
      const let_in = names.filter((_name, at) => answers[at]?.status === 200);
      expect(let_in).toHaveLength(signUpMode === 'open' ? 5 : 1);
      expect(answers.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
      const admins = await Promise.all(
        let_in.map(async (name) => {
          const token = await signIn(server, signUpOf(name));
          return dataOf<{ is_admin: boolean }>(await server.post('/api/v1/user/get_profile', {}, { token })).is_admin;
        }),
      );
      expect(admins.filter(Boolean)).toHaveLength(1);
      expect((await signUp(server, 'late')).status).toBe(signUpMode === 'open' ? 200 : 403);
    },
  );
});

describe('sign-up by invitation', () => {
  let server: TestServer;
  let admin: Person;
  beforeEach(async () => {
    server = await serverWith({ signUp: 'invite' });
    admin = await person(server, 'admin');
  });

  const invite = (email: string, token = admin.token) => server.post('/api/v1/user/invite', { email }, { token });
  const codeFor = async (email: string) => dataOf<{ code: string }>(await invite(email)).code;
  test('rejects a guessable password on a public server, and keeps the invitation', async () => {
    const open = await serverWith({ signUp: 'invite', isPublic: true });
    const code = await codeFor('zoe@example.com');
    const acceptWith = (password: string) =>
      open.post('/api/v1/user/accept_invite', { ...signUpOf('zoe'), code, password });
    expect((await acceptWith('password1')).body).toMatchObject({ code: 400, details: [{ field: 'password' }] });
    expect((await acceptWith('mauve otters knit slowly')).status).toBe(200);
  });

  const accept = (code: string, name: string) =>
    server.post('/api/v1/user/accept_invite', { ...signUpOf(name), email: 'other@example.com', code });

  test('accepts one user for a code, under the invited address', async () => {
    const code = await codeFor('Bob@Example.com');
    const answers = await Promise.all(['bob', 'bert', 'bill'].map((name) => accept(code, name)));
    const [accepted, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(accepted?.body).toMatchObject({ code: 200, data: { user_info: { email: 'Bob@Example.com' } } });
    for (const other of others) expect(other.body).toMatchObject({ code: 400, details: [{ field: 'code' }] });
  });

  test('keeps the invitation when the name is taken', async () => {
    const code = await codeFor('bob@example.com');
    expect((await accept(code, admin.userName)).status).toBe(409);
    expect((await accept(code, 'bob')).status).toBe(200);
  });

  test('rejects a code after seven days, a withdrawal, or a newer invitation', async () => {
    const replaced = await codeFor('bob@example.com');
    const withdrawn = await codeFor('BOB@example.com');
    expect((await accept(replaced, 'bob')).status).toBe(400);
    const list = () => server.post('/api/v1/admin/list_invitations', {}, { token: admin.token });
    const withdraw = () =>
      server.post('/api/v1/admin/withdraw_invitation', { email: 'bob@example.com' }, { token: admin.token });
    expect((await list()).body).toMatchObject({ data: { invitations: [{ email: 'BOB@example.com' }] } });
    expect((await withdraw()).status).toBe(200);
    expect((await withdraw()).status).toBe(404);
    expect((await list()).body).toMatchObject({ data: { invitations: [] } });
    expect((await accept(withdrawn, 'bob')).status).toBe(400);
    const late = await codeFor('bob@example.com');
    await database.clock.advance({ days: 7 });
    expect((await accept(late, 'bob')).status).toBe(400);
  });

  test('allows only administrators to invite, list and withdraw, and rejects the address of a user', async () => {
    await accept(await codeFor('bob@example.com'), 'bob');
    const token = await signIn(server, signUpOf('bob'));
    expect((await invite('carol@example.com', token)).status).toBe(403);
    for (const [path, body] of [
      ['list_invitations', {}],
      ['withdraw_invitation', { email: 'x@example.com' }],
      ['list_users', {}],
    ] as const)
      expect((await server.post(`/api/v1/admin/${path}`, body, { token })).status, path).toBe(403);
    expect((await invite('BOB@example.com')).body).toMatchObject({ code: 409, details: [{ field: 'email' }] });
  });

  test('returns the code to the administrator only without a mail server', async () => {
    const mailing = await serverWith({ signUp: 'invite', hasMail: true });
    const token = await signIn(mailing, { user_name: admin.userName, password: admin.password });
    const answer = await mailing.post('/api/v1/user/invite', { email: 'dave@example.com' }, { token });
    expect(answer.body).toMatchObject({ code: 200 });
    expect(dataOf(answer)).toEqual({});
  });

  test('rejects invitations, also earlier ones, once sign-up is closed', async () => {
    const code = await codeFor('bob@example.com');
    const closed = await serverWith({ signUp: 'closed' });
    const token = await signIn(closed, { user_name: admin.userName, password: admin.password });
    expect((await closed.post('/api/v1/user/invite', { email: 'x@example.com' }, { token })).status).toBe(403);
    const late = await closed.post('/api/v1/user/accept_invite', { ...signUpOf('bob'), code });
    expect(late.status).toBe(403);
  });
});
