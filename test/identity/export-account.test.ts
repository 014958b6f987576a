/** The export of a person's data: all of it, nobody else's, and made while it is read. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { writeZip } from '../../src/api/routes/write-zip.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { readZip } from '../support/read-zip.ts';
import { callIn, createTeam, defaultWorkspace } from '../support/team.ts';

const app = await startTestApp();
afterAll(() => app.stop());

const request = (token: string, workspaceId?: string) =>
  fetch(`${app.url}/api/v1/user/export_account`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(workspaceId !== undefined && { 'x-workspace': workspaceId }),
    },
    body: '{}',
  });

async function exportOf({ token }: Pick<Person, 'token'>) {
  const answer = await request(token);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename=account.zip');
  const files = readZip(Buffer.from(await answer.arrayBuffer()));
  const rows = (name: string): Array<Record<string, string>> =>
    parse(files.get(`${name}.csv`) ?? '', { columns: true, bom: true });
  return { files, rows, account: JSON.parse(files.get('account.json') ?? '{}') as Record<string, unknown> };
}

const draft = (name: string) => ({
  draft_id: randomUUID(),
  version: 0,
  name,
  html: `<p>${name}</p>`,
  group_metadata_ids: [],
});

test('has the profile, the sign-ins, the sessions and what the person wrote', async () => {
  const alice = await app.signUp('alice');
  const translations = [{ language: 'de', html: '<p>Hallo</p>' }];
  await alice.call('venom/save-draft', { ...draft('Spring fair'), translations });
  await alice.call('user/create_api_key', { name: 'Website', scopes: ['read', 'send'] });
  await alice.call('user/update_notice_settings', {
    settings: [{ kind: 'campaign_done', bell: false, browser: false, email: true }],
  });
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  await alice.call('venom/add-campaign', {
    name: 'Hello',
    html: '<p>Hello all</p>',
    translations,
    group_metadata_ids: [body.data.groups[0]?.group_metadata_id],
    is_schedule: false,
  });
  const { files, rows, account } = await exportOf(alice);
  expect([...files.keys()]).toEqual([
    'account.json',
    'sign-ins.csv',
    'workspaces.csv',
    'sessions.csv',
    'networks.csv',
    'notices.csv',
    'browsers.csv',
    'api-keys.csv',
    'drafts.csv',
    'remarks.csv',
    'accounts.csv',
    'campaigns.csv',
  ]);
  expect(account).toMatchObject({ user_name: 'alice', email: 'alice@example.com', factors: [] });
  expect(rows('sign-ins').map(({ action }) => action)).toContain('user.signed_in');
  expect(rows('workspaces')).toMatchObject([{ role: 'owner' }]);
  expect(rows('sessions')).toHaveLength(1);
  expect(rows('networks')).toHaveLength(1);
  expect(rows('api-keys')).toMatchObject([{ name: 'Website', scopes: 'read send' }]);
  expect(rows('drafts')).toMatchObject([{ name: 'Spring fair', html: '<p>Spring fair</p>' }]);
  expect(rows('accounts')).toMatchObject([{ messenger: 'sandbox' }]);
  expect(rows('campaigns')).toMatchObject([{ name: 'Hello', text: 'Hello all' }]);
  for (const name of ['drafts', 'campaigns'])
    expect(JSON.parse(rows(name)[0]?.['translations'] ?? ''), name).toMatchObject([
      { language: 'de', html: expect.stringContaining('Hallo') },
    ]);
  const all = [...files.values()].join('\n');
  for (const secret of ['argon2', alice.token]) expect(all).not.toContain(secret);
});

test('has nothing of anybody else', async () => {
  const { members, workspaceId } = await createTeam(app, 'choir');
  const { owner, author, manager } = members;
  const inTeam = (who: Person, path: string, body: object) => callIn(app, who, workspaceId, path, body);
  await inTeam(author, 'venom/save-draft', draft('Of the author'));
  const shared = draft('Of both');
  await inTeam(author, 'venom/save-draft', shared);
  await inTeam(manager, 'venom/save-draft', { ...shared, version: 1, html: '<p>Changed</p>' });
  await inTeam(owner, 'workspace/invite-member', { role: 'author', email: 'stranger@example.com' });
  for (const person of [owner, manager]) {
    const { files, rows } = await exportOf(person);
    const all = [...files.values()].join('\n');
    for (const other of ['Of the author', 'Of both', 'stranger@example.com', author.name, `${author.name}@example.com`])
      expect(all).not.toContain(other);
    expect(rows('workspaces')).toHaveLength(person === owner ? 1 : 2);
  }
  const { rows } = await exportOf(author);
  expect(rows('drafts')).toMatchObject([{ name: 'Of the author' }]);
  // Campaigns and accounts are those of the workspaces that a person owns.
  expect(new Set(rows('accounts').map(({ workspace_id: id }) => id))).toEqual(
    new Set([await defaultWorkspace(author)]),
  );
});

test('is complete with more rows than a step has', async () => {
  const bob = await app.signUp('bob');
  const workspaceId = await defaultWorkspace(bob);
  await sql`
    insert into drafts (workspace_id, draft_id, name, content, group_ids, written_by)
    select m.workspace_id, gen_random_uuid(), 'Draft ' || n, '{"html": "=1+1"}', '{}', array[m.user_id]
    from memberships m, generate_series(1, 250) n where m.workspace_id = ${workspaceId}::bigint`.execute(
    app.database.db,
  );
  const { rows } = await exportOf(bob);
  expect(rows('drafts')).toHaveLength(250);
  expect(new Set(rows('drafts').map(({ name }) => name)).size).toBe(250);
  expect(rows('drafts')[0]?.['html']).toBe("'=1+1");
});

test('reads no further than the client takes, and stops when it leaves', async () => {
  let read = 0;
  let hasStopped = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        read += 1;
        yield randomBytes(50_000).toString('base64');
      }
    } finally {
      hasStopped = true;
    }
  }
  const archive = writeZip([{ name: 'endless.csv', pieces: endless() }]);
  await archive.next();
  await sleep(300);
  expect(read).toBeLessThan(20);
  await archive.return(undefined);
  await expect.poll(() => hasStopped).toBe(true);
});

test('ends broken, and not short, when something cannot be read', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a';
    throw new Error('the database is gone');
  }
  const whole = { name: 'a.csv', pieces: broken() };
  await expect(Array.fromAsync(writeZip([whole]))).rejects.toThrow('the database is gone');
});

test('is for the person alone', async () => {
  const carol = await app.signUp('carol');
  const { body } = await carol.call<{ key: string }>('user/create_api_key', { name: 'All', scopes: ['read', 'admin'] });
  const refused = await request(body.data.key);
  expect([refused.status, ((await refused.json()) as { error_code: string }).error_code]).toEqual([
    403,
    'token_required',
  ]);
  expect((await request('')).status).toBe(401);
});
