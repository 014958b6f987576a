import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser } from '../../src/identity/create-user.ts';
import { createUserDependencies } from '../../src/identity/dependencies.ts';
import { createVault } from '../../src/platform/secrets/secret-box.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { systemClock } from '../../src/platform/time/time.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { signIn, signUpOf } from '../support/people.ts';
import { JWT_SECRET, startTestServer, type TestServer } from '../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ db: database.db });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const signUp = (body: unknown) => server.post('/api/v1/user/create_user', body);

test('returns a new user exactly as sent, with the eight fields of the specification', async () => {
  const body = { ...signUpOf('Alice.Example'), first_name: ' Älice ', last_name: '', email: 'Alice@Example.COM' };
  const answer = await signUp(body);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    error: false,
    status: 'success',
    code: 200,
    data: {
      user_info: {
        user_id: expect.any(Number),
        email: 'Alice@Example.COM',
        user_name: 'Alice.Example',
        phone_number: body.phone_number,
        first_name: ' Älice ',
        last_name: '',
        wharsapp_number: body.whatsapp_number,
        is_first_login: true,
      },
    },
  });
});

test('requires all seven fields, and reports all problems at once', async () => {
  const missing = await signUp({});
  const fields = ['first_name', 'last_name', 'user_name', 'email', 'phone_number', 'whatsapp_number', 'password'];
  expect(missing.status).toBe(400);
  expect(missing.body).toMatchObject({ details: fields.map((field) => ({ field, issue: 'is required' })) });
  const wrong = await signUp({
    ...signUpOf('wrong'),
    first_name: 'x'.repeat(101),
    user_name: 'a<b',
    email: 'nobody',
    phone_number: '123',
    password: 'short',
  });
  expect(wrong.body).toMatchObject({
    details: [
      { field: 'first_name', issue: 'must be at most 100 characters' },
      { field: 'user_name', issue: "must be 2 to 64 letters, digits, spaces and . _ @ + - '" },
      { field: 'email', issue: 'must be an e-mail address' },
      { field: 'phone_number' },
      { field: 'password', issue: 'must be at least 8 characters' },
    ],
  });
});

test('treats names and addresses as one namespace, case-insensitively', async () => {
  await signUp(signUpOf('carol'));
  const sameName = await signUp({ ...signUpOf('CAROL'), email: 'other@example.com' });
  expect(sameName.status).toBe(409);
  expect(sameName.body).toMatchObject({ details: [{ field: 'user_name', issue: 'is already taken' }] });
  const sameEmail = await signUp({ ...signUpOf('carol2'), email: 'Carol@Example.com' });
  expect(sameEmail.body).toMatchObject({ code: 409, details: [{ field: 'email', issue: 'is already taken' }] });
  const othersEmailAsName = await signUp({ ...signUpOf('carol@example.com'), email: 'new@example.com' });
  expect(othersEmailAsName.body).toMatchObject({ code: 409, details: [{ field: 'user_name' }] });
  const ownEmailAsName = await signUp({ ...signUpOf('dave@example.com'), email: 'Dave@example.com' });
  expect(ownEmailAsName.status).toBe(200);
});

test('creates one user when many request the same name at once, and leaves no rows of the others', async () => {
  // Half of them swap name and address: locks in the order of the body would deadlock.
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const [user_name, email] = index % 2 ? ['eve@a.org', 'eve@b.org'] : ['eve@b.org', 'eve@a.org'];
      return signUp({ ...signUpOf('eve'), user_name, email });
    }),
  );
  const statuses = answers.map((answer) => answer.status).toSorted();
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  const { rows } = await sql`select from users where user_name like 'eve@%'`.execute(database.db);
  expect(rows).toHaveLength(1);
});

test('creates a user and its account in one transaction, or neither', async () => {
  const born: number[] = [];
  const failing = await startTestServer({
    db: database.db,
    users: {
      async onWorkspaceCreated(trx, workspaceId) {
        const { rows } =
          await sql`select from users join memberships using (user_id) where workspace_id = ${workspaceId}`.execute(
            trx,
          );
        born.push(rows.length);
        throw new Error('no account today');
      },
    },
  });
  const answer = await failing.post('/api/v1/user/create_user', signUpOf('frank'));
  await failing.close();
  expect(born).toEqual([1]);
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('no account today');
  expect((await signUp(signUpOf('frank'))).status).toBe(200);
});

test('rejects sign-ups when they are closed', async () => {
  const closed = await startTestServer({ db: database.db, users: { signUp: 'closed' } });
  const answer = await closed.post('/api/v1/user/create_user', signUpOf('grace'));
  await closed.close();
  expect(answer.body).toMatchObject({ error: true, code: 403 });
});

test('stores the password as an argon2id hash, and the number as digits', async () => {
  const body = signUpOf('heidi');
  await signUp(body);
  const { rows } = await sql<{ password_hash: string; whatsapp_digits: string }>`
    select password_hash, whatsapp_digits from users where user_name = 'heidi'`.execute(database.db);
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(rows[0]?.whatsapp_digits).toBe('491512345679');
});

test('rejects guessable passwords on a public server, with advice', async () => {
  const open = await startTestServer({ db: database.db, users: { isPublic: true } });
  const refusal = {
    code: 400,
    details: [{ field: 'password', issue: expect.stringContaining('three or four words') }],
  };
  const body = { ...signUpOf('kim.possible'), first_name: 'Kimberley' };
  const guessed = ['password1', 'P@ssw0rd', 'qwertyuiop', 'Campanile2026', 'kim.possible', 'Kimberley1', '11111111'];
  for (const password of guessed)
    expect((await open.post('/api/v1/user/create_user', { ...body, password })).body, password).toMatchObject(refusal);
  const good = { ...body, password: 'seven brass bells ring' };
  expect((await open.post('/api/v1/user/create_user', good)).status).toBe(200);
  const token = await signIn(open, good);
  const change = { current_password: good.password, new_password: 'qwertyuiop' };
  expect((await open.post('/api/v1/user/change_password', change, { token })).body).toMatchObject({
    code: 400,
    details: [{ field: 'new_password' }],
  });
  await open.close();
});

test('accepts any password of eight characters on a server that is not public', async () => {
  for (const [index, password] of ['password1', 'Campanile2026', '11111111'].entries())
    expect((await signUp({ ...signUpOf(`laura${index}`), password })).status).toBe(200);
});

test('rejects sign-ups from an address for an hour after 600', async () => {
  const users = createUserDependencies({
    db: database.db,
    log: createLog('silent'),
    clock: systemClock,
    jwtSecret: JWT_SECRET,
    signUp: 'open',
    isPublic: false,
    vault: createVault({ key: Buffer.alloc(32, 7) }),
    timeZone: 'UTC',
    async onWorkspaceCreated() {},
    async onTestWorkspaceCreated() {},
    async onHandedOver() {},
    async onUserDeleted() {},
    async onUserSwitched() {},
    async allowsNumber() {},
  });
  await sql`
    insert into attempts (subject, times)
    select subject, array(select campanile_now() from generate_series(1, 599)) from (values (${SUBJECT})) s (subject)`.execute(
    database.db,
  );
  const from = (address: string, userName: string) => createUser(users, signUpInput(userName), address);
  await expect(from(ADDRESS, 'ivan')).resolves.toMatchObject({ userName: 'ivan' });
  await expect(from(ADDRESS, 'jack')).rejects.toMatchObject({
    kind: 'rate_limited',
    // Some time has passed since the first of them.
    retryAfterSeconds: expect.closeTo(3_600, -3),
  });
  await expect(from('192.0.2.2', 'jack')).resolves.toMatchObject({ userName: 'jack' });
  await database.clock.advance({ hours: 1 });
  await expect(from(ADDRESS, 'judy')).resolves.toMatchObject({ userName: 'judy' });
});

const ADDRESS = '192.0.2.1';
const SUBJECT = `sign-ups ${createHash('sha256').update(ADDRESS).digest('base64url')}`;

function signUpInput(userName: string) {
  return {
    firstName: 'A',
    lastName: '',
    userName,
    email: `${userName}@example.com`,
    phoneNumber: '1234567',
    whatsappNumber: '1234567',
    password: 'long enough',
  };
}
