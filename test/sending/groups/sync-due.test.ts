/** When the groups of accounts are read again without being asked for. */
import { execute, readColumn, readRows, readValue } from '../../../src/platform/database/statements.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import type { MessengerGroup } from '../../../src/messengers/messenger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { syncDueGroups } from '../../../src/sending/sessions/sync-due-groups.ts';
import { recordState } from '../../../src/sending/sessions/record-state.ts';
import { replaceGroups } from '../../../src/sending/groups/store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

const database = await useTestDatabase();

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await execute(database.db)`update accounts set groups_sync_at = null`;
});

async function work(messenger: ScriptedMessenger, name = 'test', alone = true): Promise<Worker> {
  const worker = await startTestWorker(database, messenger, { name, alone });
  workers.push(worker);
  return worker;
}

const groupOf = (accountId: AccountId, about: Partial<MessengerGroup> = {}): MessengerGroup => ({
  chatId: `${accountId}@g.us`,
  sendTo: `${accountId}@g.us`,
  kind: 'group',
  name: 'Choir',
  participants: 3,
  inviteLink: null,
  canSend: true,
  createdAt: new Date(0),
  ...about,
});

/** A messenger that counts how often it lists the groups of each account, and how many lists it makes at once. */
function counting() {
  const messenger = scriptMessenger();
  const reads: AccountId[] = [];
  const state = { now: 0, most: 0, about: {} as Partial<MessengerGroup>, wait: () => Promise.resolve() };
  messenger.onList = async (accountId) => {
    reads.push(accountId);
    state.most = Math.max(state.most, ++state.now);
    try {
      await state.wait();
    } finally {
      state.now--;
    }
  };
  messenger.list = (accountId) => [groupOf(accountId, state.about)];
  return { messenger, reads, state };
}

/** An owner whose groups were read now. */
async function createSynced(): Promise<Owner> {
  const owner = await createOwner(database.db, 0);
  const { createdAt, ...chat } = groupOf(owner.accountId);
  const chats = [{ ...chat, createdAt: createdAt.toISOString() }];
  await replaceGroups(database.db, owner, { chats, areChannelsUnread: false });
  const rows = await readRows<{ id: number }>(database.db)`
    select group_id as id from groups where workspace_id = ${owner.workspaceId}`;
  return { ...owner, groupIds: rows.map(({ id }) => id) };
}

/** In minutes from now. */
async function dueIn({ accountId }: Owner): Promise<number | null> {
  const rows = await readRows<{ minutes: number | null }>(database.db)`
    select extract(epoch from groups_sync_at - campanile_now())::float8 / 60 as minutes from accounts
    where account_id = ${accountId}`;
  return rows[0]?.minutes ?? null;
}

const setStatus = (owner: Owner, status: string) =>
  execute(database.db)`update accounts set status = ${status}::account_status where account_id = ${owner.accountId}`;

async function nameOf({ workspaceId }: Owner): Promise<string | undefined> {
  return readValue<string>(database.db)`
    select name from groups where workspace_id = ${workspaceId} and removed_at is null`;
}

describe('the groups of an account are read', () => {
  test('a day after the last time, and then a day later', async () => {
    const owner = await createSynced();
    const { messenger, reads, state } = counting();
    await work(messenger);
    state.about = { name: 'Band' };
    await database.clock.advance({ hours: 23, minutes: 50 });
    expect(await dueIn(owner)).toBeGreaterThan(9);
    expect(reads).toEqual([]);
    await database.clock.advance({ minutes: 10 });
    await until(() => nameOf(owner), 'Band');
    expect(await dueIn(owner)).toBeGreaterThan(23 * 60);
    expect(reads).toEqual([owner.accountId]);
  });

  test('within the hour before the first planned run, also if that was planned after the last read', async () => {
    const owner = await createSynced();
    const [run] = await planIn(owner, 20);
    const { messenger, reads } = counting();
    await work(messenger);
    const due = (await dueIn(owner)) ?? 0;
    const runIn = (Number(run) - Number(await database.clock.now())) / 60_000;
    expect(runIn - due).toBeGreaterThanOrEqual(9.9);
    expect(runIn - due).toBeLessThanOrEqual(60);
    await database.clock.advance({ seconds: Math.ceil(due * 60) });
    await until(() => reads.length, 1);
    // Those of the next day are read before the next run.
    const next = await until(
      () => dueIn(owner),
      (minutes) => (minutes ?? 0) > 60,
    );
    expect((runIn - due + 24 * 60 - (next ?? 0)) / 60).toBeCloseTo((runIn - due) / 60, 0);
  });

  test('not again before a run that follows within eight hours', async () => {
    const owner = await createSynced();
    await planIn(owner, 6);
    expect(await dueIn(owner)).toBeGreaterThan(22 * 60);
  });

  test('at once, if a run is planned for soon and the last read is nine hours ago', async () => {
    const owner = await createSynced();
    await database.clock.advance({ hours: 9 });
    const { messenger, reads } = counting();
    await planIn(owner, 0.1);
    await work(messenger);
    await until(
      () => reads.length,
      (count) => count > 0,
    );
    expect(reads).toEqual([owner.accountId]);
  });

  test('only while the account is connected, and then soon', async () => {
    const owner = await createSynced();
    const { messenger, reads } = counting();
    await setStatus(owner, 'reconnecting');
    await work(messenger);
    const other = await createSynced();
    await database.clock.advance({ days: 1 });
    await until(
      () => reads.length,
      (count) => count > 0,
    );
    expect(reads).toEqual([other.accountId]);
    await setStatus(owner, 'connected');
    await until(() => reads.length, 2);
  });

  test('a minute after a new link', async () => {
    const owner = await createOwner(database.db, 0);
    const { messenger } = counting();
    await work(messenger);
    const rows = await readRows<{ workerId: number }>(database.db)`select worker_id as "workerId" from shards limit 1`;
    await recordState(database.db, {
      accountId: owner.accountId,
      workerId: rows[0]?.workerId ?? 0,
      state: { status: 'connected', phoneNumber: '1', newLink: { restMs: 0 } },
    });
    expect(await nameOf(owner)).toBeUndefined();
    await database.clock.advance({ minutes: 1 });
    expect(await until(() => nameOf(owner), Boolean)).toBe('Choir');
  });
});

/** Plans a daily post, the first one in so many hours. Returns when its runs are due. */
async function planIn(owner: Owner, hours: number): Promise<Date[]> {
  const now = await database.clock.now();
  const first = now
    .toTemporalInstant()
    .toZonedDateTimeISO('UTC')
    .add({ seconds: Math.ceil(hours * 3_600) });
  const last = first.add({ days: 3 });
  await schedule(database.db, owner, {
    startDate: first.toPlainDate().toString(),
    endDate: last.toPlainDate().toString(),
    time: first.toPlainTime().round('second').toString(),
  });
  return readColumn<Date>(database.db)`
    select due_at as at from runs where workspace_id = ${owner.workspaceId} order by due_at`;
}

describe('a change that the messaging application reports', () => {
  test('is read a minute later, at most every 15 minutes, and none is lost', async () => {
    const owner = await createSynced();
    await database.clock.advance({ minutes: 20 });
    const { messenger, reads, state } = counting();
    await work(messenger);
    const change = () => messenger.emit([{ kind: 'chats_changed', accountId: owner.accountId }]);
    await change();
    await change();
    expect(await dueIn(owner)).toBeLessThanOrEqual(1);
    const isReading = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    state.wait = () => {
      isReading.resolve();
      return mayEnd.promise;
    };
    await database.clock.advance({ minutes: 1 });
    await isReading.promise;
    // During the read: the list may be older.
    await change();
    state.wait = () => Promise.resolve();
    mayEnd.resolve();
    await until(
      () => dueIn(owner),
      (minutes) => minutes !== null && minutes <= 15,
    );
    expect(await dueIn(owner)).toBeGreaterThan(13);
    await database.clock.advance({ minutes: 15 });
    await until(
      () => dueIn(owner),
      (minutes) => (minutes ?? 0) > 60,
    );
    expect(reads).toHaveLength(2);
  });

  test('does not delay a read that is due sooner', async () => {
    const owner = await createSynced();
    const { messenger } = counting();
    await work(messenger);
    await database.clock.advance({ hours: 23, minutes: 59, seconds: 50 });
    await messenger.emit([{ kind: 'chats_changed', accountId: owner.accountId }]);
    expect(await dueIn(owner)).toBeLessThanOrEqual(10 / 60);
  });
});

describe('a read that fails', () => {
  test('leaves the groups as they are, and is tried again after half an hour', async () => {
    const owner = await createSynced();
    const { messenger, reads, state } = counting();
    state.wait = () => Promise.reject(new Error('no answer'));
    await work(messenger);
    await database.clock.advance({ days: 1 });
    await until(() => reads.length, 1);
    await until(() => state.now, 0);
    expect(await nameOf(owner)).toBe('Choir');
    const due = (await dueIn(owner)) ?? 0;
    expect(due).toBeGreaterThan(28);
    expect(due).toBeLessThanOrEqual(30);
    state.wait = () => Promise.resolve();
    state.about = { name: 'Band' };
    await database.clock.advance({ minutes: 30 });
    await until(() => nameOf(owner), 'Band');
    expect(reads).toHaveLength(2);
  });

  test('because there is no connection yet is tried again a minute later', async () => {
    const owner = await createSynced();
    const { messenger, reads, state } = counting();
    state.wait = () => Promise.reject(new AppError('account_not_connected', 'not yet'));
    await work(messenger);
    await database.clock.advance({ days: 1 });
    await until(
      () => dueIn(owner),
      (minutes) => reads.length === 1 && (minutes ?? 0) > 0 && (minutes ?? 0) <= 1,
    );
    state.wait = () => Promise.resolve();
    await database.clock.advance({ minutes: 1 });
    await until(
      () => dueIn(owner),
      (minutes) => (minutes ?? 0) > 60,
    );
    expect(reads).toHaveLength(2);
  });

  test('is not tried more often because of changes', async () => {
    const owner = await createSynced();
    const { messenger, reads, state } = counting();
    state.wait = () => Promise.reject(new Error('no answer'));
    await work(messenger);
    await database.clock.advance({ days: 1 });
    await until(() => reads.length, 1);
    await messenger.emit([{ kind: 'chats_changed', accountId: owner.accountId }]);
    expect(await dueIn(owner)).toBeGreaterThan(13);
  });
});

describe('a worker', () => {
  test('reads the groups of two accounts at once at most, and each once', async () => {
    const owners = await Promise.all(Array.from({ length: 7 }, createSynced));
    const { messenger, reads, state } = counting();
    state.wait = () => new Promise((resolve) => void setImmediate(resolve));
    await database.clock.advance({ days: 1 });
    await Promise.all([work(messenger, 'one', false), work(messenger, 'two', false)]);
    await until(() => reads.length, 7);
    for (const owner of owners)
      await until(
        () => dueIn(owner),
        (minutes) => (minutes ?? 0) > 60,
      );
    expect(new Set(reads).size).toBe(7);
    expect(state.most).toBeLessThanOrEqual(4);
  });

  test('carries out commands while reads hang', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, createSynced));
    const { messenger, reads, state } = counting();
    const mayEnd = Promise.withResolvers<void>();
    state.wait = () => mayEnd.promise;
    await database.clock.advance({ days: 1 });
    await work(messenger);
    await until(() => reads.length, 2);
    const asked = owners[0]?.accountId ?? 0;
    await execute(database.db)`
      insert into account_commands (account_id, kind, input) values (${asked}, 'get_invite_link', '{"chatId": "1@g.us"}')`;
    await until(async () => {
      return readValue<string>(database.db)`
          select status from account_commands where account_id = ${asked}`;
    }, 'done');
    expect(reads).toHaveLength(2);
    mayEnd.resolve();
    await until(() => reads.length, 3);
  });

  test('reads nothing while its lease is not good: another one may have the session', async () => {
    const owner = await createSynced();
    await database.clock.advance({ days: 1 });
    let isGood = false;
    const sessions = { get: () => Promise.resolve(undefined) };
    const asked: boolean[] = [];
    const leases = {
      shards: () => [owner.accountId % 256],
      isGood: () => {
        asked.push(isGood);
        return isGood;
      },
    };
    const syncs = syncDueGroups({ db: database.db, log: createLog('silent'), leases, sessions });
    await until(() => asked.length > 0, true);
    expect(await dueIn(owner)).toBeLessThanOrEqual(0);
    isGood = true;
    syncs.wake();
    await until(
      () => dueIn(owner),
      (minutes) => (minutes ?? 0) > 0,
    );
    await syncs.stop();
  });

  test('that ends in the middle of a read leaves it to be tried again', async () => {
    const owner = await createSynced();
    const { messenger, reads, state } = counting();
    const isReading = Promise.withResolvers<void>();
    state.wait = () => {
      isReading.resolve();
      return Promise.reject(new Error('it died'));
    };
    await database.clock.advance({ days: 1 });
    const first = await work(messenger);
    await isReading.promise;
    workers.length = 0;
    await first.stop();
    state.wait = () => Promise.resolve();
    await work(messenger);
    await database.clock.advance({ minutes: 30 });
    await until(
      () => dueIn(owner),
      (minutes) => (minutes ?? 0) > 60,
    );
    expect(reads).toHaveLength(2);
  });
});
