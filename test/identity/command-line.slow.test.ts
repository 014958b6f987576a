import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../support/app.ts';
import { runInProcess as campanile } from '../support/run-command.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';
import type { WorkspaceId } from '../../src/platform/database/schema.ts';

/** The commands of an operator, on the embedded PostgreSQL of a running service. */
let service: Service;
beforeAll(async () => {
  service = await startService();
  process.env['DATA_DIR'] = join(service.folder, 'data');
  process.env['STATE_DIR'] = join(service.folder, 'state');
});
afterAll(async () => {
  delete process.env['DATA_DIR'];
  delete process.env['STATE_DIR'];
  await service.stop();
  await removeService(service);
});

const signIn = async (user_name: string, password: string) => {
  const { status, body } = await post(service.url, 'user/authorize_user', { user_name, password });
  return { status, token: (body.data as { token?: string } | null)?.token };
};
const passwordIn = (text: string) => / Password: (\S+)\. /.exec(text)?.[1] ?? '';

let password: string;
let token: string | undefined;
test('creates a user, who signs in with the printed password', async () => {
  const { status, text } = await campanile('users', 'create', 'erin', 'erin@example.com', '+49 151 1234567');
  expect({ status, text }).toMatchObject({ status: 0, text: expect.stringMatching(/^Created erin\. Password: /) });
  password = passwordIn(text);
  const signedIn = await signIn('erin', password);
  expect(signedIn.status).toBe(200);
  token = signedIn.token;
  expect(await campanile('users', 'create', 'erin', 'other@example.com', '+49 151 1234567')).toMatchObject({
    status: 1,
  });
});

test('lists users with name, address and role', async () => {
  await campanile('users', 'create', 'frank', 'frank@example.com', '+49 151 7654321');
  expect((await campanile('users', 'list')).text).toMatch(
    /^name .*\nfrank .*user +frank \(owner\)\nerin .*administrator +erin \(owner\)\n$/,
  );
  expect((await campanile('users', 'list', 'rank')).text).toMatch(/^name .*\nfrank .*user +frank \(owner\)\n$/);
});

test('resets a forgotten password, and ends all sessions', async () => {
  const { status, text } = await campanile('users', 'reset-password', 'ERIN@example.com');
  expect(status).toBe(0);
  expect((await signIn('erin', password)).status).toBe(401);
  await expect.poll(async () => (await post(service.url, 'user/get_profile', {}, token)).status).toBe(401);
  password = passwordIn(text);
  const signedIn = await signIn('erin', password);
  expect(signedIn.status).toBe(200);
  token = signedIn.token;
});

test('disables the last administrator only with --yes', async () => {
  expect(await campanile('users', 'disable', 'erin')).toEqual({
    status: 1,
    text: 'erin is the last administrator: without one, users are managed only on the command line. Add --yes to disable this user.\n',
  });
  expect((await signIn('erin', password)).status).toBe(200);
  await campanile('users', 'make-admin', 'frank');
  const disabled = await campanile('users', 'disable', 'frank');
  expect(disabled).toEqual({
    status: 0,
    text: expect.stringMatching(
      /^Disabled frank: signed out everywhere\. Of these workspaces nothing is sent, .*:\n- frank: 0 posts waiting; runs: 0 due, 0 planned for later\n$/,
    ),
  });
  // A disabled administrator is none who could help.
  expect((await campanile('users', 'disable', 'erin')).status).toBe(1);
  expect((await campanile('accounts', 'list')).text).toMatch(/\nfrank +sandbox +disabled +/);
  expect(await campanile('accounts', 'release', 'frank')).toMatchObject({
    status: 1,
    text: expect.stringContaining('frank is disabled, so nothing is sent.'),
  });
  expect((await campanile('users', 'enable', 'frank')).text).toMatch(
    /^Enabled frank\. From now on, posts leave again:\n- frank: 0 posts waiting/,
  );
  expect((await campanile('users', 'disable', 'erin')).status).toBe(0);
  expect((await campanile('users', 'enable', 'erin')).status).toBe(0);
});

test('lists users, keys and accounts as JSON', async () => {
  const { users } = JSON.parse((await campanile('users', 'list', 'erin', '--json')).text) as { users: object[] };
  expect(users).toEqual([
    {
      user_id: expect.any(Number),
      user_name: 'erin',
      email: 'erin@example.com',
      first_name: 'erin',
      last_name: '',
      is_admin: true,
      is_email_verified: expect.any(Boolean),
      created_at: expect.stringMatching(/Z$/),
      last_sign_in_at: expect.stringMatching(/Z$/),
      disabled_at: null,
      workspaces: [{ workspace_id: expect.any(Number), name: 'erin', role: 'owner' }],
    },
  ]);
  const { accounts } = JSON.parse((await campanile('accounts', 'list', '--json')).text) as { accounts: object[] };
  expect(accounts).toContainEqual({
    user_name: 'frank',
    account_id: expect.any(Number),
    name: null,
    messenger: 'sandbox',
    status: 'connected',
    waits_for: null,
    waits_until: null,
    reason: null,
  });
  expect(JSON.parse((await campanile('keys', 'list', 'erin', '--json')).text)).toEqual({ keys: [] });
  expect(JSON.parse((await campanile('release', '--json')).text)).toMatchObject({ held: null, campaigns: [] });
  expect(JSON.parse((await campanile('upgrade', '--check', '--json')).text)).toMatchObject({
    problem: null,
    migrations: [],
    functions: [],
  });
});

test('disables a user until it is enabled', async () => {
  expect((await campanile('users', 'disable', 'erin', '--yes')).status).toBe(0);
  expect((await signIn('erin', password)).status).toBe(403);
  expect((await campanile('users', 'list', 'erin')).text).toContain('disabled');
  expect((await campanile('users', 'enable', 'erin')).status).toBe(0);
  const signedIn = await signIn('erin', password);
  token = signedIn.token;
  expect(signedIn.status).toBe(200);
});

test('prints the link of an invitation', async () => {
  expect((await campanile('users', 'invite', 'guest@example.com')).text).toMatch(
    /^Send this link to guest@example\.com\. .*\/accept-invite#[\w-]{64}\n$/,
  );
});

test('makes an administrator, resets a factor, and reports an unknown user', async () => {
  expect(await campanile('users', 'make-admin', 'frank')).toEqual({
    status: 0,
    text: 'frank is now an administrator\n',
  });
  expect(await campanile('users', 'reset-factor', 'frank')).toMatchObject({ status: 0 });
  const text = 'No user has the name or e-mail address nobody\n';
  expect(await campanile('users', 'make-admin', 'nobody')).toEqual({ status: 1, text });
});

test('lists API keys without their secret, and revokes them', async () => {
  const made = await post(service.url, 'user/create_api_key', { name: 'ci', scopes: ['read'] }, token);
  expect(made.status).toBe(200);
  const listed = (await campanile('keys', 'list', 'erin')).text;
  expect(JSON.parse((await campanile('keys', 'list', 'erin', '--json')).text)).toMatchObject({
    keys: [{ name: 'ci', scopes: ['read'], expires_at: null, last_used_at: null }],
  });
  const id = /\n(\d+) +ci +/.exec(listed)?.[1] ?? '';
  expect((await campanile('keys', 'revoke', 'erin', id)).status).toBe(0);
  expect((await campanile('keys', 'list', 'erin')).text.trim().split('\n')).toHaveLength(1);
  expect(await campanile('keys', 'revoke', 'erin', id)).toMatchObject({ status: 1 });
});

test('lists accounts, and resumes none that is not stopped', async () => {
  expect((await campanile('accounts', 'list')).text).toMatch(/\nerin +sandbox +connected/);
  expect(await campanile('accounts', 'release', 'erin')).toEqual({
    status: 1,
    text: 'The account of erin is not stopped\n',
  });
});

test('records commands in the audit log as “command line”', async () => {
  const { body } = await post(service.url, 'user/list_audit_log', {}, token);
  const { entries } = body.data as unknown as { entries: Array<{ action: string; address: string }> };
  const actions = entries.filter(({ address }) => address === 'command line').map(({ action }) => action);
  expect(actions).toEqual([
    'api_key.revoked',
    'user.invited',
    'user.enabled',
    'user.disabled',
    'user.enabled',
    'user.disabled',
    'user.password_reset',
    'user.signed_up',
  ]);
});

test('rotates the secret of the tokens without signing users out', async () => {
  expect(await campanile('secrets', 'rotate')).toMatchObject({ status: 0 });
  await service.stop();
  service = await startService({ folder: service.folder });
  expect((await post(service.url, 'user/get_profile', {}, token)).status).toBe(200);
  const renewed = (await signIn('erin', password)).token ?? '';
  const data = join(service.folder, 'data');
  await rm(join(data, 'jwt-secret-previous'));
  await service.stop();
  service = await startService({ folder: service.folder });
  expect((await post(service.url, 'user/get_profile', {}, token)).status).toBe(401);
  expect((await post(service.url, 'user/get_profile', {}, renewed)).status).toBe(200);
});

test('deletes a user only with --yes', async () => {
  expect(await campanile('users', 'delete', 'frank')).toMatchObject({
    status: 1,
    text: expect.stringContaining('Add --yes to confirm'),
  });
  expect((await campanile('users', 'delete', 'frank', '--yes')).status).toBe(0);
  expect((await campanile('users', 'list', 'frank')).text).not.toContain('frank');
});

/** Two users, and the id of the workspace of the first, of which the second is a member. */
async function createShared(owner: string, member: string): Promise<{ workspaceId: WorkspaceId; memberToken: string }> {
  const tokens: string[] = [];
  for (const name of [owner, member]) {
    const { text } = await campanile('users', 'create', name, `${name}@example.com`, '+49 151 7654321');
    tokens.push((await signIn(name, passwordIn(text))).token ?? '');
  }
  const [ownerToken, memberToken = ''] = tokens;
  const invited = await post(service.url, 'workspace/invite-member', { role: 'author' }, ownerToken);
  const { code } = invited.body.data as unknown as { code: string };
  const joined = await post(service.url, 'workspace/accept-invitation', { code }, memberToken);
  return { workspaceId: (joined.body.data as unknown as { workspace_id: WorkspaceId }).workspace_id, memberToken };
}

const workspacesOf = async (token: string) =>
  (
    (await post(service.url, 'workspace/list-workspaces', {}, token)).body.data as unknown as {
      workspaces: Array<{ workspace_id: WorkspaceId; role: string }>;
    }
  ).workspaces.map(({ workspace_id: id, role }) => ({ id, role }));

test('hands the workspace of a departed owner over to a member, so that the owner can be deleted', async () => {
  const { workspaceId, memberToken } = await createShared('gerd', 'hanna');
  const refused = await campanile('users', 'delete', 'gerd', '--yes');
  expect(refused).toMatchObject({ status: 1, text: expect.stringContaining('gerd (2)') });
  expect(refused.text).toContain('users hand-over');
  expect(await campanile('users', 'hand-over', 'gerd', 'frank')).toMatchObject({ status: 1 });
  expect(await campanile('users', 'hand-over', 'gerd', 'gerd')).toMatchObject({ status: 1 });
  await campanile('users', 'disable', 'gerd');
  expect((await campanile('accounts', 'list')).text).toMatch(/\ngerd +sandbox +disabled +/);
  expect(await campanile('users', 'hand-over', 'gerd', 'hanna')).toMatchObject({ status: 0 });
  expect((await campanile('accounts', 'list')).text).not.toContain('disabled');
  expect(await campanile('users', 'delete', 'gerd', '--yes')).toMatchObject({ status: 0 });
  await expect.poll(() => workspacesOf(memberToken)).toContainEqual({ id: workspaceId, role: 'owner' });
});

test('deletes a workspace with its members only if that is asked for', async () => {
  const { workspaceId, memberToken } = await createShared('ida', 'jonas');
  expect(await campanile('users', 'delete', 'ida', '--with-shared-workspaces')).toMatchObject({ status: 1 });
  expect(await workspacesOf(memberToken)).toContainEqual({ id: workspaceId, role: 'author' });
  expect(await campanile('users', 'delete', 'ida', '--with-shared-workspaces', '--yes')).toMatchObject({ status: 0 });
  await expect.poll(async () => (await workspacesOf(memberToken)).map(({ id }) => id)).not.toContain(workspaceId);
  expect(await workspacesOf(memberToken)).toHaveLength(1);
});

test('records a deletion in the audit log of a remaining administrator', async () => {
  const { token: anew } = await signIn('erin', password);
  const { body } = await post(service.url, 'user/list_audit_log', {}, anew);
  const { entries } = body.data as unknown as { entries: Array<{ action: string }> };
  expect(entries.find(({ action }) => action === 'user.deleted')).toMatchObject({
    // The id: the name was forgotten.
    subject: expect.stringMatching(/^\d+$/),
    address: 'command line',
  });
});

test('records the end of a hold in the audit log of an administrator', async () => {
  await writeFile(join(service.folder, 'data', 'hold'), '');
  await expect.poll(async () => (await campanile('release')).text).toContain('Held since');
  expect(JSON.parse((await campanile('release', '--json')).text)).toMatchObject({
    held: { since: expect.stringMatching(/Z$/), reason: expect.any(String), served_at: expect.stringMatching(/Z$/) },
    begun: { campaigns: 0, posts: 0 },
    campaigns: [],
  });
  expect(await campanile('release', '--unknown', 'all')).toMatchObject({ status: 0 });
  const { token: anew } = await signIn('erin', password);
  const { body } = await post(service.url, 'user/list_audit_log', {}, anew);
  const { entries } = body.data as unknown as { entries: Array<{ action: string }> };
  expect(entries.find(({ action }) => action === 'ledger.released')).toMatchObject({
    subject: 'send 0, unknown 0',
    address: 'command line',
  });
});

test('exits with 2 on invalid arguments', async () => {
  for (const words of [['users'], ['users', 'rename', 'erin'], ['keys', 'list'], ['accounts', 'list', 'x']])
    expect((await campanile(...words)).status).toBe(2);
});
