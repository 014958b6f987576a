import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenForNotifications, type Notifications } from '../../../src/platform/database/listen.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createMailLinks } from '../../../src/platform/mail/mail-links.ts';
import { sendMails } from '../../../src/platform/mail/send-mails.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import { person, signIn, signUpOf } from '../../support/people.ts';
import { JWT_SECRET, startTestServer, type TestServer } from '../../support/http/server.ts';
import { recordLog } from '../../support/record-log.ts';

const PUBLIC_URL = 'https://campanile.example';
const links = createMailLinks(JWT_SECRET);

let database: TestDatabase;
let notifications: Notifications;
let post: MailServer;
let server: TestServer;
let sending: { stop(): Promise<void> };

beforeAll(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.address, { log: createLog('silent') });
  post = await startMailServer();
  server = await startTestServer({
    db: database.db,
    users: { hasMail: true },
    settings: { publicUrl: PUBLIC_URL, trustedProxies: ['loopback'] },
  });
  sending = startSending();
});
afterAll(async () => {
  await sending.stop();
  await server.close();
  await notifications.close();
  await post.close();
  await database.drop();
});

function startSending(log = createLog('silent'), smtpUrl = post.url) {
  const mail =
    smtpUrl === '' ? undefined : { smtpUrl, from: 'Campanile <post@campanile.example>', publicUrl: PUBLIC_URL };
  return sendMails({ db: database.db, log, notifications, links, mail });
}

/** Waits for a mail with this subject to an address, and returns the newest. */
async function mailTo(email: string, subject: RegExp) {
  for (let count = 1; ; count += 1) {
    const found = (await post.received(email, count)).findLast((mail) => subject.test(mail.subject));
    if (found) return found;
  }
}

async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from mails where sent_at is null`.execute(database.db);
  return rows[0]?.count ?? 0;
}

const call = (path: string, body: unknown, token?: string) =>
  server.post(`/api/v1/user/${path}`, body, token === undefined ? {} : { token });
const askForReset = async (userName: string) => {
  expect((await call('request_password_reset', { user_name: userName })).body).toMatchObject({ code: 200, data: {} });
};

describe('an e-mail address', () => {
  test('is verified by the link that is mailed at sign-up, once', async () => {
    const alice = await person(server, 'alice');
    const isVerified = async () =>
      ((await call('get_profile', {}, alice.token)).body as { data: { email_verified: boolean } }).data.email_verified;
    expect(await isVerified()).toBe(false);
    const mail = await mailTo(alice.email, /confirm/i);
    expect(mail.from).toBe('Campanile <post@campanile.example>');
    expect(mail.text).toContain(`${PUBLIC_URL}/verify-email#${mail.code}`);
    expect((await call('verify_email', { code: mail.code })).status).toBe(200);
    expect(await isVerified()).toBe(true);
    const again = await call('verify_email', { code: mail.code });
    expect(again.body).toMatchObject({ code: 400, details: [{ field: 'code' }] });
  });

  test('gets the link again on request, three times an hour', async () => {
    const bob = await person(server, 'bob');
    await mailTo(bob.email, /confirm/i);
    for (const _ of [1, 2, 3]) expect((await call('send_verification', {}, bob.token)).status).toBe(200);
    expect((await call('send_verification', {}, bob.token)).status).toBe(429);
    const mails = await post.received(bob.email, 4);
    expect(new Set(mails.map(({ code }) => code)).size).toBe(4);
  });
});

describe('the language of a mail', () => {
  const signUp = async (name: string, language?: string) => {
    const body = signUpOf(name);
    const headers = language === undefined ? {} : { 'accept-language': language };
    expect((await server.post('/api/v1/user/create_user', body, { headers })).status).toBe(200);
    return { userName: body.user_name, email: body.email, password: body.password };
  };

  test('is the one that the sign-up accepts best, else English', async () => {
    const german = await signUp('greta', 'fr;q=0.9, de-AT, en;q=0.5');
    const mail = await mailTo(german.email, /Bestätigen Sie/);
    expect(mail.text).toContain(`${PUBLIC_URL}/verify-email#${mail.code}`);
    await mailTo((await signUp('pierre', 'fr')).email, /^Confirm/);
  });

  test('becomes known at the first sign-in that names one, and changes with the profile alone', async () => {
    const user = await signUp('hans');
    const credentials = { user_name: user.userName, password: user.password };
    const signInAs = (language: string) =>
      server.post('/api/v1/user/authorize_user', credentials, { headers: { 'accept-language': language } });
    await signInAs('id');
    const { body } = await signInAs('es');
    const { token } = (body as { data: { token: string } }).data;
    await askForReset(user.email);
    await mailTo(user.email, /Buat kata sandi baru/);
    const changed = await call('update_profile', { language: 'pt-BR' }, token);
    expect(changed.body).toMatchObject({ code: 200, data: { language: 'pt-BR' } });
    await askForReset(user.email);
    await mailTo(user.email, /Defina uma nova senha/);
    const unknown = await call('update_profile', { language: 'tlh' }, token);
    expect(unknown.body).toMatchObject({ code: 400, details: [{ field: 'language' }] });
  });

  test('of an invitation is the one of whoever invites', async () => {
    const admin = await person(server, 'ines');
    await sql`update users set is_admin = true where user_name = ${admin.userName}`.execute(database.db);
    await call('update_profile', { language: 'es' }, admin.token);
    expect((await call('invite', { email: 'invitada@example.com' }, admin.token)).status).toBe(200);
    await mailTo('invitada@example.com', /Te invitaron a Campanile/);
  });
});

describe('a forgotten password', () => {
  test('is reset by the mailed link once, and all credentials of the old password are rejected', async () => {
    const carol = await person(server, 'carol');
    const made = await call('create_api_key', { name: 'x', scopes: ['read'] }, carol.token);
    const { key } = (made.body as { data: { key: string } }).data;
    await askForReset(carol.userName.toUpperCase());
    const first = await mailTo(carol.email, /reset your campanile password/i);
    await askForReset(carol.email);
    await post.received(carol.email, 3);
    const second = await mailTo(carol.email, /reset your campanile password/i);
    expect(second.code).not.toBe(first.code);
    const password = 'another password';
    expect((await call('reset_password', { code: second.code, new_password: password })).status).toBe(200);
    expect((await call('get_profile', {}, carol.token)).status).toBe(401);
    expect((await call('get_profile', {}, key)).status).toBe(401);
    expect((await call('authorize_user', { user_name: carol.userName, password: carol.password })).status).toBe(401);
    const token = await signIn(server, { user_name: carol.userName, password });
    expect((await call('get_profile', {}, token)).body).toMatchObject({ data: { email_verified: true } });
    for (const { code } of [first, second])
      expect((await call('reset_password', { code, new_password: password })).body).toMatchObject({
        code: 400,
        details: [{ field: 'code' }],
      });
    await mailTo(carol.email, /was changed/i);
  });

  test('rejects a guessable new password on a public server, and keeps the link valid', async () => {
    const open = await startTestServer({ db: database.db, users: { hasMail: true, isPublic: true } });
    const rupert = await person(server, 'rupert');
    await askForReset(rupert.email);
    const { code } = await mailTo(rupert.email, /reset your campanile password/i);
    const reset = (new_password: string) => open.post('/api/v1/user/reset_password', { code, new_password });
    for (const bad of ['password1', `${rupert.userName}1`])
      expect((await reset(bad)).body, bad).toMatchObject({ code: 400, details: [{ field: 'new_password' }] });
    expect((await reset('mauve otters knit slowly')).status).toBe(200);
    await open.close();
  });

  test('keeps API keys on request', async () => {
    const dave = await person(server, 'dave');
    const made = await call('create_api_key', { name: 'x', scopes: ['read'] }, dave.token);
    const { key } = (made.body as { data: { key: string } }).data;
    await askForReset(dave.email);
    const { code } = await mailTo(dave.email, /reset your campanile password/i);
    await call('reset_password', { code, new_password: 'another password', keep_api_keys: true });
    expect((await call('get_profile', {}, key)).status).toBe(200);
  });

  test('rejects a link of another kind, and one that is 30 minutes old', async () => {
    const erin = await person(server, 'erin');
    const { code: verification } = await mailTo(erin.email, /confirm/i);
    await askForReset(erin.email);
    const { code } = await mailTo(erin.email, /reset your campanile password/i);
    await database.clock.advance({ minutes: 30 });
    for (const bad of [verification, code])
      expect((await call('reset_password', { code: bad, new_password: 'another password' })).status).toBe(400);
    await signIn(server, { user_name: erin.userName, password: erin.password });
  });

  test('user enumeration: is answered and stored alike for an unknown user, and no mail is sent', async () => {
    const frank = await person(server, 'frank');
    await mailTo(frank.email, /confirm/i);
    await sending.stop();
    const known = await call('request_password_reset', { user_name: frank.email });
    const unknown = await call('request_password_reset', { user_name: 'nobody@example.com' });
    expect(unknown.status).toBe(known.status);
    expect(unknown.body).toEqual(known.body);
    const { rows } = await sql<{ login: string; userId: null; recipient: null }>`
      select login, user_id as "userId", recipient from mails where kind = 'reset' and sent_at is null order by login`.execute(
      database.db,
    );
    expect(rows).toEqual(
      [frank.email, 'nobody@example.com'].map((login) => ({ login, userId: null, recipient: null })),
    );
    sending = startSending();
    await mailTo(frank.email, /reset your campanile password/i);
    await expect.poll(waiting).toBe(0);
    expect(post.mails.filter(({ to }) => to === 'nobody@example.com')).toEqual([]);
  });

  test('is mailed at most three times an hour, without telling the requester', async () => {
    const grace = await person(server, 'grace');
    for (const _ of [1, 2, 3, 4, 5]) await askForReset(grace.userName);
    await post.received(grace.email, 4);
    await expect.poll(waiting).toBe(0);
    expect(post.mails.filter(({ to }) => to === grace.email)).toHaveLength(4);
  });
});

describe('a security notice is mailed', () => {
  test('after a change of the password', async () => {
    const heidi = await person(server, 'heidi');
    const change = { current_password: heidi.password, new_password: 'another password' };
    expect((await call('change_password', change, heidi.token)).status).toBe(200);
    await mailTo(heidi.email, /password was changed/i);
  });

  test('after a second factor was set up', async () => {
    const peggy = await person(server, 'peggy');
    const { secret } = ((await call('add_totp', {}, peggy.token)).body as { data: { secret: string } }).data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    expect((await call('confirm_totp', { code }, peggy.token)).status).toBe(200);
    await mailTo(peggy.email, /second|factor/i);
  });

  test('once for each new network of a sign-in, except the first', async () => {
    const ivan = await person(server, 'ivan');
    const from = (address: string) =>
      server.post(
        '/api/v1/user/authorize_user',
        { user_name: ivan.userName, password: ivan.password },
        { headers: { 'x-forwarded-for': address } },
      );
    for (const address of ['198.51.100.1', '198.51.100.1', '2001:db8::1', '2001:db8::2'])
      expect((await from(address)).status).toBe(200);
    await post.received(ivan.email, 3);
    await expect.poll(waiting).toBe(0);
    const told = post.mails.filter(({ to, subject }) => to === ivan.email && /sign-in/.test(subject));
    expect(told.map(({ text }) => /from (\S+),/.exec(text)?.[1]).toSorted()).toEqual(['198.51.100.1', '2001:db8::1']);
  });
});

describe('a mail that fails', () => {
  test('is retried after a minute with the same id, also by another process', async () => {
    post.refuse(451);
    const before = post.refusals();
    const judy = await person(server, 'judy');
    await expect.poll(post.refusals).toBe(before + 1);
    await sending.stop();
    post.refuse(undefined);
    sending = startSending();
    expect(await waiting()).toBe(1);
    await sending.stop();
    await database.clock.advance({ minutes: 2 });
    sending = startSending();
    const mail = await mailTo(judy.email, /confirm/i);
    expect(links.mailIdOf(mail.code ?? '')).toBe(mail.messageId.slice(1, mail.messageId.indexOf('@')));
    await expect.poll(waiting).toBe(0);
  });

  test('is dropped after a permanent rejection by the mail server', async () => {
    post.refuse(550);
    const before = post.refusals();
    const mallory = await person(server, 'mallory');
    await expect.poll(post.refusals).toBe(before + 1);
    await expect.poll(waiting).toBe(0);
    post.refuse(undefined);
    expect(post.mails.filter(({ to }) => to === mallory.email)).toEqual([]);
  });
});

test('logs mails without a mail server, and neither their recipients nor their links', async () => {
  await sending.stop();
  const { log, lines } = recordLog('info');
  const silent = startSending(log, '');
  const niaj = await person(server, 'niaj');
  await askForReset(niaj.email);
  await expect.poll(waiting).toBe(0);
  await silent.stop();
  sending = startSending();
  const told = lines().filter(({ msg }) => msg === 'a mail would have been sent: there is no SMTP_URL');
  expect(told.map(({ kind, userId }) => ({ kind, userId }))).toEqual([
    { kind: 'verification', userId: niaj.userId },
    { kind: 'reset', userId: niaj.userId },
  ]);
  const { rows } = await sql<{ mailId: string }>`select mail_id as "mailId" from mails`.execute(database.db);
  const secrets = [niaj.email, ...rows.map(({ mailId }) => links.codeOf(mailId))];
  expect(secrets.filter((secret) => JSON.stringify(lines()).includes(secret))).toEqual([]);
  expect(post.mails.filter(({ to }) => to === niaj.email)).toEqual([]);
});

test('logs a mail that expires before it can be sent', async () => {
  await sending.stop();
  post.refuse(451);
  const before = post.refusals();
  sending = startSending();
  await call('create_user', signUpOf('olivia'));
  await expect.poll(post.refusals).toBe(before + 1);
  await sending.stop();
  await database.clock.advance({ days: 3 });
  post.refuse(undefined);
  const { log, lines } = recordLog('warn');
  sending = startSending(log);
  await expect.poll(() => lines().map(({ msg }) => msg)).toContain('a mail expired before it could be sent');
});

describe('an invitation to a workspace', () => {
  const workspace = (path: string, body: object, token: string) =>
    server.post(`/api/v1/workspace/${path}`, body, { token });

  test('is mailed with the names of inviter and workspace, and its code works once', async () => {
    const [owner, guest, late] = [
      await person(server, 'owner'),
      await person(server, 'guest'),
      await person(server, 'late'),
    ];
    await workspace('rename-workspace', { name: 'Old town' }, owner.token);
    const invited = await workspace('invite-member', { role: 'author', email: guest.email }, owner.token);
    expect(invited.body).toMatchObject({ code: 200, data: { invitation_id: expect.any(Number) } });
    expect(JSON.stringify(invited.body)).not.toContain('"code":"');
    const mail = await mailTo(guest.email, /invited to Old town/);
    expect(mail.text).toContain(`${PUBLIC_URL}/join#${mail.code}`);
    expect(mail.text).toContain(owner.userName);
    const joined = await workspace('accept-invitation', { code: mail.code }, guest.token);
    expect(joined.body).toMatchObject({ code: 200, data: { name: 'Old town', role: 'author' } });
    expect((await workspace('accept-invitation', { code: mail.code }, late.token)).status).toBe(400);
  });

  test('that is revoked before its mail was sent is not sent', async () => {
    await sending.stop();
    const owner = await person(server, 'owner');
    const invited = await workspace('invite-member', { role: 'author', email: 'nobody@example.com' }, owner.token);
    const { data } = invited.body as { data: { invitation_id: number } };
    await workspace('revoke-invitation', data, owner.token);
    const { rows } = await sql`select from mails where kind = 'workspace_invitation'`.execute(database.db);
    expect(rows).toEqual([]);
    sending = startSending();
  });
});
