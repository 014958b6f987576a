/** Changes of members at the same moment. The tests hold a row that both changes need, until both wait for it. */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Answer } from '../support/app.ts';
import { countBlocked } from '../support/count-blocked.ts';
import { until } from '../support/ledger.ts';
import { createTeam, defaultWorkspace, inWorkspace, join, listWorkspaces, type Team } from '../support/team.ts';

const app = await startTestApp();
/** Another process: in one, the requests of a person follow each other. */
const other = await startTestApp({ role: 'api' }, app.database);
afterAll(async () => {
  await other.stop();
  await app.stop();
});
const { db } = app.database;

let people = 0;
const newTeam = () => createTeam(app, `team-${++people}`);
const ownerOf = ({ members, workspaceId }: Team, at = app) => inWorkspace(at, members.owner, workspaceId);

/** Holds rows while the requests start one after the other, each once the one before waits or is answered. */
async function whileHeld<Requests extends Array<() => Promise<Answer>>>(
  rows: RawBuilder<unknown>,
  ...requests: Requests
): Promise<{ [Index in keyof Requests]: Answer }> {
  const trx = await db.startTransaction().execute();
  const answers: Array<Promise<Answer>> = [];
  try {
    await rows.execute(trx);
    for (const send of requests) {
      const answer = send();
      answers.push(answer);
      let isAnswered = false;
      void answer.finally(() => (isAnswered = true));
      await until(
        () => countBlocked(db),
        (waiting) => isAnswered || waiting >= answers.length,
      );
    }
  } finally {
    await trx.rollback().execute();
  }
  return (await Promise.all(answers)) as { [Index in keyof Requests]: Answer };
}

const holdUser = (userId: number) => sql`select from users where user_id = ${userId} for no key update`;
const holdWorkspace = (id: string) => sql`select from workspaces where workspace_id = ${id}::bigint for no key update`;

async function ownersOf(
  workspaceId: string,
): Promise<Array<{ name: string; isDeleted: boolean; isDisabled: boolean }>> {
  const { rows } = await sql<{ name: string; isDeleted: boolean; isDisabled: boolean }>`
    select user_name as name, deleted_at is not null as "isDeleted", disabled_at is not null as "isDisabled"
    from memberships join users using (user_id)
    where workspace_id = ${workspaceId}::bigint and role = 'owner'`.execute(db);
  return rows;
}

test('a person who is removed from both of their workspaces at once gets a new one', async () => {
  const [one, two] = [await newTeam(), await newTeam()];
  const eve = await app.signUp('eve');
  const hers = await defaultWorkspace(eve);
  await join(app, { owner: eve, workspaceId: hers, role: 'manager' }, one.members.owner);
  await join(app, { owner: two.members.owner, workspaceId: two.workspaceId, role: 'author' }, eve);
  await eve.call('workspace/hand-over-workspace', { user_id: one.members.owner.userId });
  // Each removal deletes the notices of its workspace after the membership, and only then counts what is left.
  for (const workspaceId of [hers, two.workspaceId])
    await sql`
      insert into notices (user_id, event_id, kind, at, data, workspace_id)
      values (${eve.userId}, -(${workspaceId}::bigint), 'campaign_done', now(), '{}', ${workspaceId}::bigint)`.execute(
      db,
    );
  const answers = await whileHeld(
    sql`select from notices where user_id = ${eve.userId} for update`,
    () => inWorkspace(app, one.members.owner, hers)('workspace/remove-member', { user_id: eve.userId }),
    () => ownerOf(two)('workspace/remove-member', { user_id: eve.userId }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await listWorkspaces(await app.signIn('eve'))).toMatchObject([{ role: 'owner', members: 1 }]);
});

test('a workspace is not handed over to a user who is being deleted', async () => {
  const team = await newTeam();
  const { owner, manager } = team.members;
  const [deleted, handed] = await whileHeld(
    holdUser(manager.userId),
    () => manager.call('user/delete_account', { password: PASSWORD }),
    () => ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId }),
  );
  expect([deleted.status, handed.body]).toEqual([
    200,
    expect.objectContaining({ code: 404, error_code: 'member_not_found' }),
  ]);
  expect(await ownersOf(team.workspaceId)).toEqual([{ name: owner.name, isDeleted: false, isDisabled: false }]);
});

test('a user who is becoming the owner is not deleted', async () => {
  const team = await newTeam();
  const { manager } = team.members;
  const [handed, deleted] = await whileHeld(
    holdUser(manager.userId),
    () => ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId }),
    () => manager.call('user/delete_account', { password: PASSWORD }),
  );
  expect([handed.status, deleted.body]).toEqual([
    200,
    expect.objectContaining({ code: 409, error_code: 'changed_meanwhile' }),
  ]);
  expect(await ownersOf(team.workspaceId)).toEqual([{ name: manager.name, isDeleted: false, isDisabled: false }]);
});

test('a user who is being deleted joins no workspace', async () => {
  const team = await newTeam();
  const mallory = await app.signUp('mallory');
  const { code } = (await ownerOf(team)<{ code: string }>('workspace/invite-member', { role: 'author' })).body.data;
  const [, joined] = await whileHeld(
    holdUser(mallory.userId),
    () => mallory.call('user/delete_account', { password: PASSWORD }),
    () => other.call('workspace/accept-invitation', { code }, mallory.token),
  );
  expect(joined.status).toBe(401);
  const { rows } = await sql`
    select from memberships where user_id = ${mallory.userId} and workspace_id = ${team.workspaceId}::bigint`.execute(
    db,
  );
  expect(rows).toEqual([]);
});

test('a former owner neither invites nor renames nor creates keys by a request that began before', async () => {
  for (const [path, body] of [
    ['workspace/invite-member', { role: 'manager' }],
    ['workspace/rename-workspace', { name: 'Mine' }],
    ['user/create_api_key', { name: 'mine', scopes: ['read'] }],
  ] as const) {
    const team = await newTeam();
    const [handed, late] = await whileHeld(
      holdWorkspace(team.workspaceId),
      () => ownerOf(team)('workspace/hand-over-workspace', { user_id: team.members.manager.userId }),
      () => ownerOf(team, other)(path, body),
    );
    expect([handed.status, late.body], path).toEqual([
      200,
      expect.objectContaining({ code: 409, error_code: 'changed_meanwhile' }),
    ]);
  }
});

test('of two hand-overs at once the second changes nothing', async () => {
  const team = await newTeam();
  const { manager, author } = team.members;
  const [first, second] = await whileHeld(
    holdWorkspace(team.workspaceId),
    () => ownerOf(team)('workspace/hand-over-workspace', { user_id: manager.userId }),
    () => ownerOf(team, other)('workspace/hand-over-workspace', { user_id: author.userId }),
  );
  expect([first.status, second.status]).toEqual([200, 409]);
  expect(await ownersOf(team.workspaceId)).toMatchObject([{ name: manager.name }]);
});

test('an invitation that is accepted twice at once by one person makes one membership', async () => {
  const team = await newTeam();
  const carol = await app.signUp('carol');
  const invite = async () =>
    (await ownerOf(team)<{ code: string }>('workspace/invite-member', { role: 'author' })).body.data.code;
  const codes = [await invite(), await invite()] as const;
  const answers = await whileHeld(
    holdWorkspace(team.workspaceId),
    () => carol.call('workspace/accept-invitation', { code: codes[0] }),
    () => other.call('workspace/accept-invitation', { code: codes[1] }, carol.token),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
});

test('a removed member sends nothing by a request whose body arrives later', async () => {
  const team = await newTeam();
  const { manager } = team.members;
  const body = JSON.stringify({ draft_id: crypto.randomUUID(), version: 0, name: 'Late' });
  const sending = request(`${app.url}/api/v1/venom/save-draft`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${manager.token}`,
      'x-workspace': team.workspaceId,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // The answer to this says that the request was let in.
      expect: '100-continue',
    },
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    sending.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  sending.flushHeaders();
  await once(sending, 'continue');
  expect((await ownerOf(team)('workspace/remove-member', { user_id: manager.userId })).status).toBe(200);
  await sleep(1_100);
  sending.end(body);
  expect(await status).toBe(404);
});
