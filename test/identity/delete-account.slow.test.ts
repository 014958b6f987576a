import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkAccount, unlinkAccount } from '../../src/sending/accounts/link-account.ts';
import type { Actor } from '../../src/workspaces/audit/record-audit.ts';
import { addCampaign } from '../../src/sending/campaigns/accept/add-campaign.ts';
import { listenForNotifications, type Notifications } from '../../src/platform/database/listen.ts';
import { eraseNext, findDeletedUsers } from '../../src/sending/erasure/erase-deleted-users.ts';
import { createLog } from '../../src/platform/log/log.ts';
import type { SendResult } from '../../src/messengers/messenger.ts';
import type { UserSettings } from '../../src/identity/dependencies.ts';
import { PASSWORD, startTestApp, type Person as AppPerson, type TestApp } from '../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { convert, startTestWorker, until } from '../support/ledger.ts';
import { person, signUpOf, type Person } from '../support/people.ts';
import { HUSK, countRemainingRows } from '../support/remaining-rows.ts';
import type { MessengerAccount, OnStateChange } from '../../src/messengers/messenger.ts';
import { SANDBOX } from '../../src/messengers/sandbox/capabilities.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { scriptMessenger } from '../support/scripted-messenger.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';
import { ownerOf } from '../support/workspaces.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';

describe('with the whole service at work', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ sandboxGap: { minMs: 80, maxMs: 100 } });
  });
  afterAll(() => app.stop());

  async function groupsOf(who: AppPerson, more: number): Promise<number[]> {
    const create = (index: number) =>
      who.call<{ group_metadata_id: number }>('venom/create-group', {
        group_name: `Group ${index}`,
        participants: ['4915100000001'],
      });
    const made = await Promise.all(Array.from({ length: more }, (_, index) => create(index)));
    return made.map(({ body }) => body.data.group_metadata_id);
  }
  const send = (who: AppPerson, group_metadata_ids: number[], image: string | null = null) =>
    who.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'News',
      html: 'Hello {{ group }}',
      with_fields: true,
      image,
      group_metadata_ids,
    });
  const totalsOf = async (who: AppPerson, campaign: object) =>
    (
      await who.call<{ totals: { sent: number; queued: number; delivered: number } }>(
        'analytics/get-campaign-group-analytics-master',
        campaign,
      )
    ).body.data.totals;
  const idsOf = (who: AppPerson) => ownerOf(app.database.db, who);

  test('deletes everything of the user in the middle of a campaign, and does not disturb others', async () => {
    const alice = await app.signUp('alice');
    const bob = await app.signUp('bob');
    const ids = await idsOf(alice);
    const key = (await alice.call<{ key: string }>('user/create_api_key', { name: 'k', scopes: ['read', 'send'] }))
      .body;
    const [hers, his] = await Promise.all([groupsOf(alice, 60), groupsOf(bob, 20)]);
    const picture = PNG.toString('base64');
    // However long the deletion takes to come: the rest waits.
    await alice.call('venom/update-account', { daily_cap: 40 });
    const campaign = (await send(alice, hers, picture)).body.data;
    const schedule = { start_date: '2999-01-01', end_date: '2999-01-09', schedule_time: '09:00:00', is_schedule: true };
    await alice.call('venom/add-campaign-batch', { name: 'x', html: 'x', group_metadata_ids: hers, ...schedule });
    const other = (await send(bob, his)).body.data;
    await until(
      () => totalsOf(alice, campaign),
      ({ sent, delivered }) => sent >= 5 && delivered > 0,
    );
    expect((await totalsOf(alice, campaign)).queued).toBeGreaterThan(0);
    expect(await countRemainingRows(app.database.db, ids)).toMatchObject({
      runs: 10,
      campaigns: 2,
      media: 1,
      lanes: 1,
      delivery_values: 60,
    });

    expect((await alice.call('user/delete_account', { password: PASSWORD })).body).toMatchObject({
      code: 200,
      data: {},
    });
    expect((await alice.call('user/get_profile')).status).toBe(401);
    expect((await app.call('user/get_profile', {}, key.data.key)).status).toBe(401);
    expect((await app.call('user/authorize_user', { user_name: 'alice', password: PASSWORD })).status).toBe(401);

    await until(
      () => countRemainingRows(app.database.db, ids),
      (remains) => JSON.stringify(remains) === JSON.stringify(HUSK),
    );
    const { rows } = await sql<{ husk: string }>`
      select u::text as husk from users u where user_id = ${alice.userId}`.execute(app.database.db);
    // Instants can have any digits.
    expect(rows[0]?.husk.replaceAll(/[\d-]+ [\d:.]+\+00/g, '')).not.toMatch(/alice|4915|151/i);

    await until(
      () => totalsOf(bob, other),
      ({ queued, sent }) => queued === 0 && sent === 20,
    );
    await app.database.clock.advance({ minutes: 11 });
    await until(
      () => countRemainingRows(app.database.db, ids),
      (remains) => Object.keys(remains).length === 0,
    );
    const last = (await send(bob, his.slice(0, 1))).body.data;
    await until(
      () => totalsOf(bob, last),
      ({ sent }) => sent === 1,
    );
  });

  test('frees the name at once, and shows its next owner nothing of the former one', async () => {
    const first = await app.signUp('carol');
    await send(first, await groupsOf(first, 2));
    await first.call('user/delete_account', { password: PASSWORD });
    const second = await app.signUp('carol');
    expect(second.userId).not.toBe(first.userId);
    const campaigns = await second.call<{ campaigns: unknown[] }>('venom/list-campaigns');
    expect(campaigns.body.data.campaigns).toEqual([]);
    const groups = await second.call<{ groups: unknown[] }>('venom/list-groups');
    expect(groups.body.data.groups).toHaveLength(3);
    expect((await first.call('venom/list-groups')).status).toBe(401);
  });

  test('completes or rejects requests at the moment of the deletion, and leaves nothing behind', async () => {
    const dave = await app.signUp('dave');
    const ids = await idsOf(dave);
    const groups = await groupsOf(dave, 2);
    const { campaign_id } = (await send(dave, groups)).body.data;
    const asked = Array.from({ length: 6 }, (_, index) => [
      send(dave, groups),
      dave.call('venom/create-group', { group_name: `Late ${index}`, participants: [] }),
      dave.call('venom/sync-groups'),
      dave.call('venom/cancel-campaign', { campaign_id }),
      dave.call('user/update_profile', { first_name: `Dave ${index}` }),
      dave.call('user/create_api_key', { name: 'late', scopes: ['read'] }),
      dave.call('user/list_audit_log'),
    ]).flat();
    const deleted = dave.call('user/delete_account', { password: PASSWORD });
    const again = dave.call('user/delete_account', { password: PASSWORD });
    const statuses = (await Promise.all(asked)).map((answer) => answer.status);
    for (const status of statuses) expect([200, 401, 404, 409]).toContain(status);
    const both = [(await deleted).status, (await again).status].toSorted((a, b) => a - b);
    expect(both[0]).toBe(200);
    expect([401, 409]).toContain(both[1]);
    await app.database.clock.advance({ minutes: 11 });
    await until(
      () => countRemainingRows(app.database.db, ids),
      (remains) => Object.keys(remains).length === 0,
    );
  });
});

describe('on its own', () => {
  let database: TestDatabase;
  let here: TestServer;
  /** Another process on the same database: it has its own caches, which notifications invalidate. */
  let there: TestServer;
  /** A third process, behind a pooler that drops notifications. */
  let deaf: TestServer;
  let notifications: Notifications;

  beforeAll(async () => {
    database = await createTestDatabase();
    notifications = listenForNotifications(database.address, { log: createLog('silent') });
    const users = {
      onWorkspaceCreated: (...[trx, workspaceId]: Parameters<UserSettings['onWorkspaceCreated']>) =>
        linkAccount(trx, workspaceId, SANDBOX),
      onUserDeleted: unlinkAccount,
    };
    here = await startTestServer({ db: database.db, users });
    there = await startTestServer({ db: database.db, users: { ...users, notifications } });
    deaf = await startTestServer({ db: database.db, users });
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close(), deaf.close(), notifications.close()]);
    await database.drop();
  });

  const remove = ({ token, password }: { token: string; password: string }) =>
    here.post('/api/v1/user/delete_account', { password }, { token });
  const statusOn = async (server: TestServer, token: string) =>
    (await server.post('/api/v1/user/get_profile', {}, { token })).status;
  const keyOf = async ({ token }: Person) => {
    const { body } = await here.post('/api/v1/user/create_api_key', { name: 'k', scopes: ['read'] }, { token });
    return (body as { data: { key: string } }).data.key;
  };

  /** Adds groups that exist only in the ledger to the account. */
  async function addGroups(
    { workspaceId, accountId }: { workspaceId: WorkspaceId; accountId: AccountId },
    count: number,
  ): Promise<number[]> {
    const { rows } = await sql<{ group_id: number }>`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      select ${workspaceId}::bigint, g || '@g.us', ${accountId} || '-' || g || '@g.us', 'group', 'G', 3, true
      from generate_series(1, ${count}::int) g returning group_id`.execute(database.db);
    return rows.map((row) => row.group_id);
  }
  async function startCampaign(actor: Actor, groupIds: number[]): Promise<void> {
    const post = { name: 'x', description: '', html: 'Hello', image: null, isChannelCampaign: false };
    await addCampaign({ db: database.db, convert }, actor, { ...post, groupIds, scheduleTime: null });
  }

  test('rejects tokens and keys at once here, and within a second in other processes', async () => {
    const alice = await person(here, 'alice');
    const bob = await person(here, 'bob');
    const key = await keyOf(alice);
    const bobsKey = await keyOf(bob);
    for (const server of [there, deaf])
      for (const credential of [alice.token, key, bobsKey]) expect(await statusOn(server, credential)).toBe(200);
    expect((await remove(alice)).status).toBe(200);
    for (const credential of [alice.token, key]) {
      expect(await statusOn(here, credential)).toBe(401);
      for (const server of [there, deaf]) await expect.poll(() => statusOn(server, credential)).toBe(401);
    }
    for (const server of [here, there, deaf]) expect(await statusOn(server, bobsKey)).toBe(200);
    const again = { ...signUpOf(alice.userName), email: alice.email };
    expect((await here.post('/api/v1/user/create_user', again)).status).toBe(200);
  });

  test('requires the password, and rejects an API key and a revoked token', async () => {
    const mallory = await person(here, 'mallory');
    const key = await keyOf(mallory);
    const wrong = await remove({ ...mallory, password: 'guessed' });
    expect(wrong.body).toMatchObject({ code: 400, details: [{ field: 'password' }] });
    expect((await here.post('/api/v1/user/delete_account', {}, { token: mallory.token })).status).toBe(400);
    expect((await remove({ ...mallory, token: key })).status).toBe(403);
    expect(await statusOn(deaf, mallory.token)).toBe(200);
    await here.post('/api/v1/user/revoke_tokens', { keep_api_keys: true }, { token: mallory.token });
    // No notification may have reached that process yet.
    const { password, token } = mallory;
    expect((await deaf.post('/api/v1/user/delete_account', { password }, { token })).status).toBe(401);
    expect(await statusOn(here, key)).toBe(200);
  });

  test('limits guesses at the password to ten', async () => {
    const mallory = await person(here, 'mallory');
    const guesses = await Promise.all(Array.from({ length: 10 }, () => remove({ ...mallory, password: 'guessed' })));
    expect(guesses.map((answer) => answer.status)).toEqual(Array(10).fill(400));
    expect((await remove(mallory)).status).toBe(429);
  });

  test('sends at most the turn in hand, and the worker survives the deletion of its rows', async () => {
    const alice = await person(here, 'alice');
    const bob = await person(here, 'bob');
    const [hers, his] = [alice, bob].map(async (who) => {
      const ids = await ownerOf(database.db, who);
      return { ...ids, groupIds: await addGroups(ids, 40) };
    });
    if (!hers || !his) throw new Error('two people have two accounts');
    const [a, b] = [await hers, await his];
    const messenger = scriptMessenger();
    const release = Promise.withResolvers<SendResult>();
    const inHand = Promise.withResolvers<void>();
    const isHers = (chatId: string) => chatId.startsWith(`${a.accountId}-`);
    const sentByHer = () => messenger.arrivals.filter((one) => isHers(one.chatId));
    messenger.answer = ({ chatId }) => {
      if (!isHers(chatId) || sentByHer().length < 3) return undefined;
      inHand.resolve();
      return release.promise;
    };
    const worker = await startTestWorker(database, messenger, { gap: { minMs: 1, maxMs: 2 } });
    await startCampaign(a, a.groupIds);
    await inHand.promise;
    expect((await remove(alice)).status).toBe(200);
    await until(
      () => countRemainingRows(database.db, a),
      (remains) => JSON.stringify(remains) === JSON.stringify(HUSK),
    );
    release.resolve({ kind: 'sent', recipients: 2 });
    await until(sentByHer, (arrived) => arrived.length === 4);
    const about = sentByHer().map(({ messageId }) => messageId);
    const at = new Date();
    await messenger.emit(
      about.map((messageId) => ({ kind: 'read', accountId: a.accountId, messageId, participant: 'p', at })),
    );

    await startCampaign(b, b.groupIds);
    await until(
      () => messenger.arrivals.filter((one) => !isHers(one.chatId)).length,
      (count) => count === 40,
    );
    expect(sentByHer()).toHaveLength(4);
    await worker.stop();
    expect(await countRemainingRows(database.db, a)).toEqual(HUSK);
  });

  test('deletes a large account in small steps, and the next worker continues after a crash', async () => {
    const alice = await person(here, 'alice');
    const ids = await ownerOf(database.db, alice);
    const { workspaceId } = ids;
    await startCampaign(ids, await addGroups(ids, 10_000));
    await sql`
      insert into receipts (workspace_id, run_id, position, participant, flags, fresh)
      select d.workspace_id, d.run_id, d.position, p, 3, 0 from deliveries d, generate_series(1, 2) p
      where d.workspace_id = ${workspaceId}`.execute(database.db);
    expect((await remove(alice)).status).toBe(200);
    expect(await countRemainingRows(database.db, ids)).toMatchObject({
      receipts: 20_000,
      deliveries: 10_000,
      users: 1,
    });

    const [user] = await findDeletedUsers(database.db, 100).then((found) =>
      found.filter(({ userId }) => userId === alice.userId),
    );
    if (!user) throw new Error('nobody is to be erased');
    for (let left = 15_000; left >= 10_000; left -= 5_000) {
      expect(await eraseNext(database.db, user)).toBe(true);
      expect(await countRemainingRows(database.db, ids)).toMatchObject({ receipts: left, deliveries: 10_000 });
    }
    // The first worker never finished the rows that it had claimed.
    const worker = await startTestWorker(database, scriptMessenger());
    await until(
      () => countRemainingRows(database.db, ids),
      (remains) => JSON.stringify(remains) === JSON.stringify(HUSK),
    );
    await database.clock.advance({ minutes: 9 });
    expect(await countRemainingRows(database.db, ids)).toEqual(HUSK);
    await database.clock.advance({ minutes: 2 });
    await until(
      () => countRemainingRows(database.db, ids),
      (remains) => Object.keys(remains).length === 0,
    );
    await worker.stop();
  });

  test('retries a messenger that is unreachable, closes its session, and delays no other deletion', async () => {
    const alice = await person(here, 'alice');
    const bob = await person(here, 'bob');
    const [a, b] = [await ownerOf(database.db, alice), await ownerOf(database.db, bob)];
    const scripted = scriptMessenger();
    const closed: number[] = [];
    let reachable = false;
    const messenger = {
      ...scripted,
      open: async (account: MessengerAccount, tell: OnStateChange) => {
        const session = await scripted.open(account, tell);
        return session && { ...session, close: async () => void closed.push(account.accountId) };
      },
      forget: async (accountId: AccountId) => {
        if (accountId === a.accountId && !reachable) throw new Error('not reachable');
        return false;
      },
    };
    const worker = await startTestWorker(database, messenger);
    await startCampaign(a, await addGroups(a, 1));
    await until(
      () => scripted.arrivals.length,
      (count) => count === 1,
    );
    expect((await remove(alice)).status).toBe(200);
    expect((await remove(bob)).status).toBe(200);
    await until(
      () => closed,
      (accounts) => accounts.includes(a.accountId),
    );
    await database.clock.advance({ minutes: 11 });
    await until(
      () => countRemainingRows(database.db, b),
      (remains) => Object.keys(remains).length === 0,
    );
    // The rows of the other user are deleted in steps, too, as far as possible.
    await until(
      () => countRemainingRows(database.db, a),
      (remains) => JSON.stringify(remains) === JSON.stringify(HUSK),
    );
    reachable = true;
    await until(
      () => countRemainingRows(database.db, a),
      (remains) => Object.keys(remains).length === 0,
    );
    await worker.stop();
  });
});
