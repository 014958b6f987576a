/** The accounts of a workspace beside its default account: adding, rules of their own, and removing. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, untilCompleted, useTestApp, type Person } from '../../support/app.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { until } from '../../support/ledger.ts';
import { countRemainingRows, HUSK } from '../../support/remaining-rows.ts';
import { createTestKey } from '../../support/test-keys.ts';
import { ownerOf } from '../../support/workspaces.ts';
import { writeOrQuarantine } from '../../../src/sending/accounts/quarantine-account.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface Listed {
  account_id: AccountId;
  name: string | null;
  is_default: boolean;
  messenger: string;
  status: string;
  whatsapp_number: string;
  down_since: string | null;
  queued: number;
  sent_today: number;
  daily_cap: number | null;
}

const app = await useTestApp();

let people = 0;
const signUp = () => app.signUp(`person${++people}`, `+44 7700 90${String(people).padStart(4, '0')}`);

const add = (person: Pick<Person, 'call'>, body: object = {}) =>
  person.call<Listed>('venom/add-account', { name: 'Second', ...body });
const addOne = async (person: Person, body: object = {}) => (await add(person, body)).body.data.account_id;
const listOf = async (person: Pick<Person, 'call'>) =>
  (await person.call<{ accounts: Listed[] }>('venom/list-accounts')).body.data.accounts;
const codeOf = ({ status, body }: { status: number; body: object }) => ({
  status,
  code: (body as { error_code?: string }).error_code,
});

/** What creates a chat, with a body for each. */
const CREATIONS = [
  ['venom/create-group', { group_name: 'Own group', participants: [] }],
  ['venom/create-community', { community_name: 'Own community', description: '' }],
  ['venom/create-channel', { name: 'Own channel', description: '', image: null }],
] as const;

describe('adding an account', () => {
  test('lists it after the default account, connected at once on the sandbox', async () => {
    const alice = await signUp();
    const { status, body } = await add(alice);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: 'Second', is_default: false, messenger: 'sandbox', status: 'connected' });
    const accounts = await listOf(alice);
    expect(accounts).toHaveLength(2);
    expect(accounts[0]).toMatchObject({ name: null, is_default: true, down_since: null, queued: 0, daily_cap: null });
    // A list has the metadata on request only.
    expect({ ...accounts[1], metadata: {} }).toEqual(body.data);
  });

  test('needs the number of its phone on WhatsApp, and waits for it to be linked', async () => {
    const alice = await signUp();
    expect(codeOf(await add(alice, { messenger: 'whatsapp' }))).toEqual({ status: 400, code: 'invalid_request' });
    const { body } = await add(alice, { messenger: 'whatsapp', whatsapp_number: '+44 7700 910001' });
    expect(body.data).toMatchObject({
      status: 'unlinked',
      whatsapp_number: '+44 7700 910001',
      down_since: expect.any(String),
    });
  });

  test('keeps the number of its phone on the sandbox, so that it can be linked later', async () => {
    const alice = await signUp();
    const whatsapp_number = '+44 7700 910030';
    const { body } = await add(alice, { whatsapp_number });
    expect(body.data).toMatchObject({ messenger: 'sandbox', status: 'connected', whatsapp_number });
    expect(codeOf(await add(alice, { whatsapp_number }))).toEqual({ status: 409, code: 'number_taken' });
  });

  test('rejects a number that another account of the workspace has', async () => {
    const alice = await app.signUp('numbers', '+44 7700 910010');
    const whatsapp = (whatsapp_number: string) => add(alice, { messenger: 'whatsapp', whatsapp_number });
    const taken = { status: 409, code: 'number_taken' };
    expect(codeOf(await whatsapp('0044 7700 910010'))).toEqual(taken);
    expect((await whatsapp('+44 7700 910011')).status).toBe(200);
    expect(codeOf(await whatsapp('+44 (7700) 910011'))).toEqual(taken);
    const profile = { whatsapp_number: '+44 7700 910011' };
    expect(codeOf(await alice.call('user/update_profile', profile))).toEqual(taken);
  });

  test('gives no pairing code for a number that another user has for an account of theirs', async () => {
    const [alice, bob] = [await signUp(), await signUp()];
    const number = { messenger: 'whatsapp', whatsapp_number: '+44 7700 910020' };
    await add(alice, number);
    const account_id = await addOne(bob, number);
    const linking = { account_id, method: 'pairing_code' };
    expect(codeOf(await bob.call('venom/connect-account', linking))).toEqual({ status: 409, code: 'number_taken' });
  });

  test('rejects a number that another account has without or with its mobile digit', async () => {
    const carla = await app.signUp('carla', '+52 55 1234 5678');
    const whatsapp = (whatsapp_number: string) => add(carla, { messenger: 'whatsapp', whatsapp_number });
    const taken = { status: 409, code: 'number_taken' };
    expect(codeOf(await whatsapp('+52 1 55 1234 5678'))).toEqual(taken);
    expect((await whatsapp('+55 11 91234-5678')).status).toBe(200);
    expect(codeOf(await whatsapp('+55 11 1234-5678'))).toEqual(taken);
    expect(codeOf(await carla.call('user/update_profile', { whatsapp_number: '+55 11 1234-5678' }))).toEqual(taken);
    const bob = await signUp();
    const account_id = await addOne(bob, { messenger: 'whatsapp', whatsapp_number: '+55 11 1234-5678' });
    const linking = { account_id, method: 'pairing_code' };
    expect(codeOf(await bob.call('venom/connect-account', linking))).toEqual(taken);
  });

  test('gives an account of the sandbox a number of its own, which no phone has', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const third = await addOne(alice);
    await alice.call('venom/set-default-account', { account_id: second });
    const numbers = (await listOf(alice)).map(({ whatsapp_number }) => whatsapp_number);
    expect(new Set(numbers).size).toBe(3);
    for (const account_id of [second, third]) {
      const linking = { account_id, messenger: 'whatsapp' };
      expect(codeOf(await alice.call('venom/connect-account', linking))).toEqual({
        status: 409,
        code: 'number_missing',
      });
    }
  });

  test('allows ten accounts, and no more when several are added at once', async () => {
    const alice = await signUp();
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(alice)));
    const codes = answers.map((answer) => codeOf(answer).code ?? 'added');
    expect(Object.groupBy(codes, (code) => code)).toMatchObject({
      added: { length: 9 },
      account_limit_reached: { length: 3 },
    });
    expect(await listOf(alice)).toHaveLength(10);
  });

  test('keeps the accounts of a test workspace on the sandbox', async () => {
    const alice = await signUp();
    const { call } = await createTestKey(app, alice);
    const { body } = await add({ call }, { messenger: 'whatsapp' });
    expect(body.data).toMatchObject({ messenger: 'sandbox', status: 'connected' });
    const [first, second] = await listOf({ call });
    expect(second?.whatsapp_number).not.toBe(first?.whatsapp_number);
    expect(await listOf(alice)).toHaveLength(1);
  });

  test('marks the runs that are under way as shared', async () => {
    const alice = await signUp();
    await alice.call('venom/update-account', { quiet_hours: quietNow() });
    const group_metadata_ids = await groupsOf(alice);
    await alice.call('venom/add-campaign', { name: 'News', html: 'Hello', group_metadata_ids });
    const { workspaceId } = await ownerOf(app.database.db, alice);
    const shared = async () =>
      await readRows<{ shared: boolean }>(app.database.db)`
          select is_shared as shared from runs where workspace_id = ${workspaceId}`;
    expect(await shared()).toEqual([{ shared: false }]);
    expect((await listOf(alice))[0]).toMatchObject({ queued: 3 });
    await add(alice);
    expect(await shared()).toEqual([{ shared: true }]);
    expect((await listOf(alice)).map(({ queued }) => queued)).toEqual([3, 0]);
  });
});

/** Times of day around now, in UTC. */
function quietNow() {
  const now = Temporal.Now.zonedDateTimeISO('UTC');
  const at = (hours: number) => now.add({ hours }).toPlainTime().toString({ smallestUnit: 'minute' });
  return { from: at(-2), to: at(2) };
}

describe('an account beside the default one', () => {
  let alice: Person;
  let first: number;
  let second: number;
  beforeEach(async () => {
    alice = await signUp();
    second = await addOne(alice);
    first = (await listOf(alice))[0]?.account_id ?? 0;
  });

  test('has a name and rules for sending of its own', async () => {
    const quiet_hours = { from: '22:00', to: '07:00' };
    const changed = await alice.call('venom/update-account', {
      account_id: second,
      name: 'Chess',
      quiet_hours,
      daily_cap: 5,
      warm_up: true,
    });
    expect(changed.body.data).toMatchObject({ account_id: second, name: 'Chess', quiet_hours, daily_cap: 5 });
    expect(changed.body.data).toHaveProperty('warm_up');
    const other = await alice.call('venom/update-account');
    expect(other.body.data).toMatchObject({ account_id: first, name: null, quiet_hours: null, daily_cap: null });
    expect(other.body.data).not.toHaveProperty('warm_up');
    await alice.call('venom/update-account', { daily_cap: 70, name: 'First' });
    expect(await listOf(alice)).toMatchObject([
      { account_id: first, name: 'First', daily_cap: 70 },
      { account_id: second, name: 'Chess', daily_cap: 5 },
    ]);
  });

  test('can be read by everybody in the workspace, and changed by its owner alone', async () => {
    const { body } = await alice.call<{ key: string }>('user/create_api_key', {
      name: 'reads',
      scopes: ['read', 'send', 'admin'],
      role: 'manager',
    });
    const asManager = (path: string, wanted: object = {}) => app.call(path, wanted, body.data.key);
    const of = { account_id: second };
    expect((await asManager('venom/list-accounts')).status).toBe(200);
    expect((await asManager('venom/update-account', of)).status).toBe(200);
    expect(codeOf(await asManager('venom/update-account', { ...of, name: 'Mine' }))).toMatchObject({ status: 403 });
    expect(codeOf(await asManager('venom/add-account', { name: 'Mine' }))).toMatchObject({ status: 403 });
  });

  test('is unlinked and linked alone, and its events say which account they are about', async () => {
    const of = { account_id: second };
    expect((await alice.call('venom/disconnect-account', of)).body.data).toEqual({ ...of, status: 'unlinked' });
    expect(await listOf(alice)).toMatchObject([
      { status: 'connected', down_since: null },
      { status: 'unlinked', down_since: expect.any(String) },
    ]);
    expect((await alice.call('venom/account-status')).body.data).toMatchObject({
      account_id: first,
      status: 'connected',
    });
    const status = await alice.call('venom/account-status', { ...of, with_history: true });
    expect(status.body.data).toMatchObject({ ...of, status: 'unlinked', history: [{ status: 'unlinked' }, {}] });
    expect((await alice.call('venom/connect-account', of)).body.data).toEqual({ ...of, status: 'connected' });
    const { workspaceId } = await ownerOf(app.database.db, alice);
    const rows = await readRows<{ data: object }>(app.database.db)`
      select data from events where workspace_id = ${workspaceId} and type = 'account.connected'`;
    expect(rows).toMatchObject([{ data: { account_id: second, name: 'Second' } }]);
  });

  test('creates groups, communities and channels of its own', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const { db } = app.database;
    for (const [path, body] of CREATIONS) {
      const { status, body: answer } = await alice.call<{ group_metadata_id: number }>(path, {
        ...body,
        account_id: second,
      });
      expect(status, path).toBe(200);
      const rows = await readRows<{ account_id: AccountId }>(db)`
        select account_id from group_accounts where group_id = ${answer.data.group_metadata_id}`;
      expect(rows, path).toEqual([{ account_id: second }]);
    }
    expect(await groupsOf(alice)).toHaveLength(3 + CREATIONS.length);
    const bob = await signUp();
    for (const [path, body] of CREATIONS)
      expect(codeOf(await bob.call(path, { ...body, account_id: second })), path).toEqual({
        status: 404,
        code: 'account_not_found',
      });
  });

  test('is not found by another workspace', async () => {
    const bob = await signUp();
    const missing = { status: 404, code: 'account_not_found' };
    for (const account_id of [second, 987_654_321]) {
      for (const path of ['account-status', 'update-account', 'connect-account', 'disconnect-account', 'sync-groups'])
        expect(codeOf(await bob.call(`venom/${path}`, { account_id })), path).toEqual(missing);
      expect(codeOf(await bob.call('venom/update-account', { account_id, name: 'Mine' }))).toEqual(missing);
      expect(codeOf(await bob.call('venom/remove-account', { account_id }))).toEqual(missing);
    }
  });

  test('is in the audit log when it is added, renamed and removed', async () => {
    await alice.call('venom/update-account', { account_id: second, name: 'Chess' });
    await alice.call('venom/disconnect-account', { account_id: second });
    await alice.call('venom/remove-account', { account_id: second });
    const { body } = await alice.call<{ entries: object[] }>('user/list_audit_log', { kind: 'account' });
    expect(body.data.entries).toMatchObject([
      { action: 'account.removed', subject: 'Chess' },
      { action: 'account.unlinked', subject: 'Chess' },
      { action: 'account.changed', subject: 'Second', changes: [{ field: 'name', before: 'Second', after: 'Chess' }] },
      { action: 'account.added', subject: 'Second' },
    ]);
  });
});

test('a write that would break a rule of the ledger stops all accounts, a new one too, and connecting one resumes all', async () => {
  const alice = await signUp();
  const second = await addOne(alice);
  const { db } = app.database;
  const statuses = async () => (await listOf(alice)).map(({ status }) => status);
  await writeOrQuarantine({ db }, { accountId: second }, () => execute(db)`select 1 / 0`);
  expect(await statuses()).toEqual(['paused', 'paused']);
  await addOne(alice, { name: 'Third' });
  expect(await statuses()).toEqual(['paused', 'paused', 'paused']);
  const campaign = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'News',
    html: 'Hello',
    group_metadata_ids: await groupsOf(alice),
  });
  const { workspaceId } = await ownerOf(db, alice);
  const own = await readRows(db)`
    select from lanes where workspace_id = ${workspaceId} and (turn > 0 or held_until < 'infinity')`;
  expect(own).toEqual([]);
  await alice.call('venom/connect-account', { account_id: second });
  expect(await statuses()).toEqual(['connected', 'connected', 'connected']);
  await until(
    async () => (await alice.call<{ status: string }>('venom/get-campaign', campaign.body.data)).body.data.status,
    'completed',
  );
});

describe('the default account', () => {
  const setDefault = (person: Person, account_id: AccountId | undefined) =>
    person.call('venom/set-default-account', { account_id });

  test('moves to another account, which operations without an account are then about', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const [first] = await listOf(alice);
    expect((await setDefault(alice, second)).status).toBe(200);
    expect(await listOf(alice)).toMatchObject([
      { account_id: second, is_default: true },
      { account_id: first?.account_id, is_default: false, whatsapp_number: first?.whatsapp_number },
    ]);
    const { body } = await alice.call<{ account_id: number }>('venom/update-account', { daily_cap: 7 });
    expect(body.data.account_id).toBe(second);
    const log = await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 2 });
    expect(log.body.data.entries[1]).toMatchObject({ action: 'account.changed', subject: 'Second' });
    // Again changes nothing.
    expect((await setDefault(alice, second)).status).toBe(200);
  });

  test('takes no rule of the workspace along, and an update of any account changes those', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const update = async (body: object) => (await alice.call('venom/update-account', body)).body.data;
    await update({ mention_all_cap: 3, weekly_posts: 'none' });
    await setDefault(alice, second);
    expect(await update({})).toMatchObject({ account_id: second, mention_all_cap: 3, weekly_posts: null });
    const [, first] = await listOf(alice);
    await update({ account_id: first?.account_id, weekly_posts: 5 });
    expect(await update({})).toMatchObject({ account_id: second, mention_all_cap: 3, weekly_posts: 5 });
  });

  test('can be removed once another one replaces it, and campaigns go on', async () => {
    const alice = await signUp();
    const group_metadata_ids = await groupsOf(alice);
    const second = await addOne(alice);
    await alice.call('venom/sync-groups', { account_id: second });
    const post = { name: 'News', html: 'Hello', group_metadata_ids };
    const isSent = async (campaign_id: string) => untilCompleted(alice.call, campaign_id);
    const add = async () =>
      (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data.campaign_id;
    const before = await add();
    await isSent(before);
    const [first] = await listOf(alice);
    await setDefault(alice, second);
    await alice.call('venom/disconnect-account', { account_id: first?.account_id });
    expect((await alice.call('venom/remove-account', { account_id: first?.account_id })).status).toBe(200);
    expect(await listOf(alice)).toMatchObject([{ account_id: second, is_default: true }]);
    expect(await groupsOf(alice)).toEqual(group_metadata_ids);
    await isSent(await add());
    const { body } = await alice.call<{ totals: object }>('analytics/get-campaign-group-analytics-master', {
      campaign_id: before,
    });
    expect(body.data).toMatchObject({ groups: Array.from({ length: 3 }, () => ({ sent: 1 })) });
  });

  test('is an account of the workspace', async () => {
    const [alice, bob] = [await signUp(), await signUp()];
    const missing = { status: 404, code: 'account_not_found' };
    expect(codeOf(await setDefault(alice, await addOne(bob)))).toEqual(missing);
  });
});

describe('removing an account', () => {
  const remove = (person: Person, account_id: AccountId) => person.call('venom/remove-account', { account_id });

  test('is refused for the default account, and for one that is linked', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const [first] = await listOf(alice);
    expect(codeOf(await remove(alice, first?.account_id ?? (0 as AccountId)))).toEqual({
      status: 409,
      code: 'account_is_default',
    });
    expect(codeOf(await remove(alice, second))).toEqual({ status: 409, code: 'account_linked' });
    expect(await listOf(alice)).toHaveLength(2);
  });

  test('is refused while posts wait for it', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    await alice.call('venom/update-account', { quiet_hours: quietNow() });
    await alice.call('venom/disconnect-account', { account_id: second });
    const { workspaceId } = await ownerOf(app.database.db, alice);
    const group_metadata_ids = await groupsOf(alice);
    const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'News',
      html: 'Hello',
      group_metadata_ids,
    });
    await execute(app.database.db)`update runs set is_shared = true where workspace_id = ${workspaceId}`;
    await execute(app.database.db)`
      with given as (
        update deliveries set account_id = ${second} where workspace_id = ${workspaceId} and position = 1 returning run_id)
      insert into run_senders (workspace_id, run_id, account_id) select ${workspaceId}, run_id, ${second} from given`;
    expect((await listOf(alice)).map(({ queued }) => queued)).toEqual([2, 1]);
    expect(codeOf(await remove(alice, second))).toEqual({ status: 409, code: 'account_busy' });
    await alice.call('venom/cancel-campaign', body.data);
    expect((await remove(alice, second)).status).toBe(200);
  });

  test('ends its ways to groups, and only a group that no other account sees is removed', async () => {
    const alice = await signUp();
    const second = await addOne(alice);
    const { db } = app.database;
    const { accountId, workspaceId } = await ownerOf(db, alice);
    const [shared, own, kept] = await groupsOf(alice);
    await execute(db)`delete from group_accounts where group_id = any(${[shared, own, kept]}::bigint[])`;
    await execute(db)`
      insert into group_accounts (group_id, account_id, can_send)
      values (${shared}, ${accountId}, false), (${shared}, ${second}, true), (${own}, ${second}, true), (${kept}, ${accountId}, true)`;
    await alice.call('venom/disconnect-account', { account_id: second });
    expect((await remove(alice, second)).status).toBe(200);
    const rows = await readRows(db)`
      select group_id as id, can_send as "canSend", removed_at is not null as "isRemoved" from groups
      where workspace_id = ${workspaceId} order by group_id`;
    expect(rows).toEqual([
      { id: shared, canSend: false, isRemoved: false },
      { id: own, canSend: false, isRemoved: true },
      { id: kept, canSend: true, isRemoved: false },
    ]);
  });

  test('leaves nothing of it behind, and makes room for another one', async () => {
    const alice = await signUp();
    const ids = await Promise.all(Array.from({ length: 9 }, () => addOne(alice)));
    const second = ids[0] ?? (0 as AccountId);
    await alice.call('venom/update-account', { account_id: second, daily_cap: 5 });
    await alice.call('venom/disconnect-account', { account_id: second });
    expect((await remove(alice, second)).body.data).toEqual({});
    expect(await listOf(alice)).toHaveLength(9);
    expect(codeOf(await remove(alice, second))).toEqual({ status: 404, code: 'account_not_found' });
    expect((await add(alice)).status).toBe(200);
    const { userId, workspaceId } = await ownerOf(app.database.db, await signUp());
    const none = { userId: (userId + 1_000_000) as typeof userId, workspaceId: 0 as typeof workspaceId };
    await until(
      () => countRemainingRows(app.database.db, { ...none, accountId: second }),
      (remains) => Object.keys(remains).length === 0,
    );
    expect((await groupsOf(alice)).length).toBe(3);
  });

  test.each([
    ['update-account', { daily_cap: 5 }],
    ['disconnect-account', {}],
    ['sync-groups', {}],
    ['create-group', { group_name: 'Late', participants: [] }],
  ])('is a 404 for %s that is under way', async (operation, body) => {
    const alice = await signUp();
    const account_id = await addOne(alice);
    const { db } = app.database;
    const { request } = await db.transaction().execute(async (trx) => {
      await execute(trx)`select from lanes where account_id = ${account_id} for update`;
      await execute(trx)`select from accounts where account_id = ${account_id} for update`;
      const sent = alice.call(`venom/${operation}`, { account_id, ...body });
      await until(
        () => countBlocked(db),
        (blocked) => blocked > 0,
      );
      await execute(trx)`delete from lanes where account_id = ${account_id}`;
      await execute(trx)`delete from group_accounts where account_id = ${account_id}`;
      await execute(trx)`delete from accounts where account_id = ${account_id}`;
      return { request: sent };
    });
    expect(codeOf(await request)).toEqual({ status: 404, code: 'account_not_found' });
    expect((await listOf(alice)).length).toBe(1);
  });

  test('does not become a member of a group that was being created', async () => {
    const alice = await signUp();
    const account_id = await addOne(alice);
    const { db } = app.database;
    const { accountId: ledger } = await ownerOf(db, alice);
    const { request } = await db.transaction().execute(async (trx) => {
      await execute(trx)`select from accounts where account_id = ${ledger} for no key update`;
      const sent = alice.call('venom/create-group', { group_name: 'Late', participants: [], account_id });
      await until(
        () => countBlocked(db),
        (blocked) => blocked > 0,
      );
      await execute(trx)`update accounts set removed_at = campanile_now() where account_id = ${account_id}`;
      return { request: sent };
    });
    expect(codeOf(await request)).toEqual({ status: 404, code: 'account_not_found' });
    const rows = await readRows(db)`
      select from group_accounts where account_id = ${account_id} and group_id in (select group_id from groups where name = 'Late')`;
    expect(rows).toEqual([]);
  });

  test('happens to all of them when their user is deleted', async () => {
    const alice = await signUp();
    const others = [await addOne(alice), await addOne(alice)];
    const ids = await ownerOf(app.database.db, alice);
    await groupsOf(alice);
    await alice.call('user/delete_account', { password: 'correct horse battery' });
    await until(
      () => countRemainingRows(app.database.db, ids),
      (remains) => JSON.stringify(remains) === JSON.stringify({ ...HUSK, accounts: 3 }),
    );
    await app.database.clock.advance({ minutes: 11 });
    const isGone = (remains: object) => Object.keys(remains).length === 0;
    for (const accountId of [ids.accountId, ...others])
      expect(await until(() => countRemainingRows(app.database.db, { ...ids, accountId }), isGone)).toEqual({});
  });
});
