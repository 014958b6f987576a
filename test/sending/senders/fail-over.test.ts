/** Failover: stand-ins send what an account that cannot send has not tried, and nothing else. */
import { execute, readColumn, readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import type { MessengerGroup } from '../../../src/messengers/messenger.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { findDown, findReturnable } from '../../../src/sending/senders/find-down.ts';
import { handOver } from '../../../src/sending/senders/hand-over.ts';
import { returnDeliveries } from '../../../src/sending/deliveries/assign-senders.ts';
import { lockLedger } from '../../../src/sending/accounts/store.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  createOwner,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const ALL_SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

const database = await useTestDatabase();

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});
async function work(messenger: ScriptedMessenger): Promise<void> {
  workers.push(await startTestWorker(database, messenger));
}

/** A campaign to four groups that wait for the first account; the second is a member, too. */
async function createWaiting(groups = 4): Promise<{ owner: Owner; second: AccountId; campaign: string }> {
  const owner = await createOwner(database.db, groups);
  const second = await addAccount(database.db, owner);
  await setSenders(database.db, owner, [owner.accountId, second]);
  const campaign = await sendNow(database.db, owner);
  return { owner, second, campaign };
}

const LOGGED_OUT = sql`status = 'logged_out', status_reason = 'WhatsApp logged it out'`;
const setState = async (accountId: AccountId, state = LOGGED_OUT) => {
  await execute(database.db)`update accounts set ${state} where account_id = ${accountId}`;
  await execute(database.db)`
    update lanes l set held_until = case when a.down_since is null then '-infinity'::timestamptz else campanile_now() + interval '1 day' end,
           work_at = campanile_now()
    from accounts a where a.account_id = l.account_id and l.account_id = ${accountId} and l.in_hand_run_id is null`;
};
const setMinutes = (owner: Owner, minutes: number | null) =>
  execute(database.db)`update workspaces set failover_minutes = ${minutes} where workspace_id = ${owner.workspaceId}`;
const sendersOf = async (owner: Owner) => {
  return readColumn<AccountId>(database.db)`
    select account_id as sender from deliveries where workspace_id = ${owner.workspaceId} order by position`;
};
const handAll = (owner: Owner, from = owner.accountId, acceptDuplicates = false) =>
  database.db.transaction().execute(async (trx) => {
    await lockLedger(trx, owner.workspaceId);
    return handOver(trx, {
      workspaceId: owner.workspaceId,
      from,
      acceptDuplicates,
      isReturnable: true,
      timeZone: 'UTC',
    });
  });
async function readAccount(accountId: AccountId): Promise<{ downSince: Date | null; triedAt: Date | null }> {
  const rows = await readRows<{ downSince: Date | null; triedAt: Date | null }>(database.db)`
    select down_since as "downSince", failover_tried_at as "triedAt" from accounts where account_id = ${accountId}`;
  return rows[0] ?? { downSince: null, triedAt: null };
}
const downOf = async ({ workspaceId }: Owner) =>
  (await findDown(database.db, ALL_SHARDS)).filter((one) => one.workspaceId === workspaceId);
const downSince = async (accountId: AccountId) => (await readAccount(accountId)).downSince;
const triedAt = async (accountId: AccountId) => (await readAccount(accountId)).triedAt;

/** Nothing of this account leaves, also in a moment in which it is connected. */
function keepOffline(messenger: ScriptedMessenger, accountId: AccountId): void {
  messenger.answer = (_to, _post, sender) =>
    sender === accountId ? { kind: 'offline', reason: 'not connected', cooldownMs: 60_000 } : undefined;
}

/** The groups of the owner as the messenger lists them, without those with the numbers in `missing`. */
function listed(owner: Owner, missing: readonly number[] = []): MessengerGroup[] {
  return owner.groupIds.flatMap((_id, index) =>
    missing.includes(index + 1)
      ? []
      : [
          {
            chatId: `${owner.accountId}-${index + 1}@g.us`,
            sendTo: `${owner.accountId}-${index + 1}@g.us`,
            kind: 'group' as const,
            name: `Group ${index + 1}`,
            participants: 3,
            inviteLink: null,
            canSend: true,
            createdAt: new Date(0),
          },
        ],
  );
}

describe('a failed account', () => {
  test('hands what was not tried over to the stand-in once it was down for as long as the workspace allows', async () => {
    const { owner, second, campaign } = await createWaiting();
    await setMinutes(owner, 5);
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    messenger.list = () => listed(owner);
    await work(messenger);
    await database.clock.advance({ minutes: 4 });
    expect(messenger.arrivals).toEqual([]);
    await database.clock.advance({ minutes: 2 });
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(messenger.arrivals.map(({ accountId }) => accountId)).toEqual([second, second, second, second]);
    expect(new Set(messenger.arrivals.map(({ chatId }) => chatId)).size).toBe(4);
    const rows = await readRows<{ action: string; changes: unknown }>(database.db)`
      select action, changes from audit_log where workspace_id = ${owner.workspaceId} and action = 'account.handed_over'`;
    expect(rows).toMatchObject([{ changes: [{ field: 'handed_over', after: '4' }] }]);
  });

  test('keeps a delivery whose attempt may have left, and the one in hand', async () => {
    const { owner, second } = await createWaiting();
    const turns = await takeTurnsByHand(database.db);
    const tried = await turns.claim(owner, { batch: 1 });
    await turns.finish(tried, [{ kind: 'retry', waitMs: 60_000, reason: 'the connection broke', uncertain: true }]);
    await turns.claim(owner, { batch: 1 });
    await setState(owner.accountId);
    expect(await handAll(owner)).toBe(2);
    expect(await sendersOf(owner)).toEqual([owner.accountId, owner.accountId, second, second]);
  });

  test('keeps a delivery of which an attempt was interrupted', async () => {
    const { owner, second } = await createWaiting();
    await execute(database.db)`
      update deliveries set interrupted_attempts = 1 where workspace_id = ${owner.workspaceId} and position = 1`;
    await setState(owner.accountId);
    expect(await handAll(owner)).toBe(3);
    expect(await sendersOf(owner)).toEqual([owner.accountId, second, second, second]);
  });

  test('hands over what may have left if duplicates are accepted and its link has ended, with ids of its own', async () => {
    const { owner, second, campaign } = await createWaiting();
    const turns = await takeTurnsByHand(database.db);
    const tried = await turns.claim(owner, { batch: 1 });
    await turns.finish(tried, [{ kind: 'retry', waitMs: 60_000, reason: 'the connection broke', uncertain: true }]);
    const before = await messageIds(owner);
    await setState(owner.accountId, sql`status = 'reconnecting'`);
    expect(await handAll(owner, owner.accountId, true)).toBe(3);
    await setState(owner.accountId, sql`status = 'logged_out'`);
    expect(await handAll(owner)).toBe(0);
    expect(await handAll(owner, owner.accountId, true)).toBe(1);
    expect(await sendersOf(owner)).toEqual([second, second, second, second]);
    expect(new Set([...before, ...(await messageIds(owner))]).size).toBe(8);
    // The new account has tried none of them.
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    await setState(second);
    expect(await handAll(owner, second)).toBe(4);
    await turns.drain(owner, () => sent);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
  });

  test('gets back what its stand-in has not tried when it is connected again', async () => {
    const { owner, second, campaign } = await createWaiting();
    await setState(owner.accountId);
    await handAll(owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim({ ...owner, accountId: second }, { batch: 1 }), [sent]);
    const before = await messageIds(owner);
    // Otherwise it goes on sending until what is left returns.
    await setState(second);
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    const messenger = scriptMessenger();
    await work(messenger);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    const own = messenger.arrivals.filter(({ chatId }) => chatId.startsWith(`${owner.accountId}-`));
    expect(own.map(({ accountId }) => accountId)).toEqual([owner.accountId, owner.accountId, owner.accountId]);
    expect(new Set([...own.map(({ messageId }) => messageId), before[0]]).size).toBe(4);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 4, failed: 0 });
  });

  test('does not get back what its stand-in has in hand', async () => {
    const { owner, second } = await createWaiting();
    await setState(owner.accountId);
    await handAll(owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.claim({ ...owner, accountId: second }, { batch: 1 });
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    const [run] = await findReturnable(database.db, ALL_SHARDS);
    await database.db.transaction().execute(async (trx) => {
      await lockLedger(trx, owner.workspaceId);
      if (run) await returnDeliveries(trx, run, 'UTC');
    });
    expect(await sendersOf(owner)).toEqual([second, owner.accountId, owner.accountId, owner.accountId]);
  });

  test('gets nothing back if it failed again before its ledger could be locked', async () => {
    const { owner, second, campaign } = await createWaiting();
    await setState(owner.accountId);
    await handAll(owner);
    await setState(second, sql`status = 'reconnecting'`);
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    const messenger = scriptMessenger();
    keepOffline(messenger, owner.accountId);
    await database.db.transaction().execute(async (trx) => {
      await lockLedger(trx, owner.workspaceId);
      await work(messenger);
      await until(
        () => countBlocked(database.db),
        (blocked) => blocked > 0,
      );
      await setState(owner.accountId);
    });
    await setState(second, sql`status = 'connected'`);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(await sendersOf(owner)).toEqual([second, second, second, second]);
  });

  test('leaves with its stand-ins what they have, if the workspace wants that', async () => {
    const { owner, second, campaign } = await createWaiting();
    await execute(database.db)`update workspaces set fails_back = false where workspace_id = ${owner.workspaceId}`;
    await setState(owner.accountId);
    await handAll(owner);
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    const shards = [owner.workspaceId % 256];
    expect(await findReturnable(database.db, shards)).toEqual([]);
    await work(scriptMessenger());
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(await sendersOf(owner)).toEqual([second, second, second, second]);
  });

  test('keeps what no stand-in may post to', async () => {
    const { owner, second, campaign } = await createWaiting();
    await setMinutes(owner, 1);
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    // The stand-in has left the last two groups, which nobody has noticed yet.
    messenger.list = (accountId) => listed(owner, accountId === second ? [3, 4] : []);
    await work(messenger);
    await database.clock.advance({ minutes: 2 });
    await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
    expect(await sendersOf(owner)).toEqual([second, second, owner.accountId, owner.accountId]);
    // Nobody can send the rest: the owner is asked, although the workspace has a number of minutes.
    expect(
      await until(
        () => asked(owner),
        (events) => events.length > 0,
      ),
    ).toMatchObject([{ account_id: owner.accountId }]);
    await database.clock.advance({ minutes: 5 });
    expect(await asked(owner)).toHaveLength(1);
  });

  test('asks the owner once for each failure where the workspace hands nothing over by itself', async () => {
    const { owner, second } = await createWaiting();
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    keepOffline(messenger, owner.accountId);
    await work(messenger);
    await database.clock.advance({ minutes: 2 });
    expect(
      await until(
        () => asked(owner),
        (events) => events.length > 0,
      ),
    ).toMatchObject([{ account_id: owner.accountId, status: 'logged_out' }]);
    await database.clock.advance({ minutes: 2 });
    await setState(owner.accountId, sql`status = 'connected'`);
    await setState(owner.accountId);
    await database.clock.advance({ minutes: 2 });
    await until(
      () => asked(owner),
      (events) => events.length === 2,
    );
    expect(await sendersOf(owner)).not.toContain(second);
  });

  test.each(['unlinked', 'linking', 'reconnecting', 'paused', 'logged_out'])(
    'hands over whatever keeps it from being connected: %s',
    async (status) => {
      const { owner, second, campaign } = await createWaiting();
      await setMinutes(owner, 5);
      await setState(owner.accountId, sql`status = ${status}`);
      const messenger = scriptMessenger();
      messenger.list = () => listed(owner);
      keepOffline(messenger, owner.accountId);
      await work(messenger);
      await database.clock.advance({ minutes: 6 });
      await analyticsWhen(database.db, owner, campaign, ({ campaign: one }) => one.status === 'completed');
      expect(await sendersOf(owner)).toEqual([second, second, second, second]);
    },
  );

  test('is down since it was last connected, whatever it is called meanwhile', async () => {
    const { owner } = await createWaiting();
    await setState(owner.accountId, sql`status = 'reconnecting'`);
    const since = await downSince(owner.accountId);
    await database.clock.advance({ minutes: 3 });
    await setState(owner.accountId, sql`status = 'paused'`);
    await setState(owner.accountId);
    expect(since).toBeInstanceOf(Date);
    expect(await downSince(owner.accountId)).toEqual(since);
    await setState(owner.accountId, sql`status = 'connected'`);
    expect(await downSince(owner.accountId)).toBeNull();
  });

  test('keeps its posts while its connection is lost for a shorter time, again and again', async () => {
    const { owner } = await createWaiting();
    await setMinutes(owner, 5);
    await work(scriptMessenger());
    for (let blip = 0; blip < 3; blip++) {
      await setState(owner.accountId, sql`status = 'reconnecting'`);
      await database.clock.advance({ minutes: 4 });
      expect(await downOf(owner)).toEqual([]);
      await setState(owner.accountId, sql`status = 'connected'`);
    }
  });

  test('keeps its posts if it was back while the groups of its stand-in were read', async () => {
    const { owner, second } = await createWaiting();
    await setMinutes(owner, 5);
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    messenger.list = () => listed(owner);
    messenger.onList = async () => {
      await setState(owner.accountId, sql`status = 'connected'`);
      await setState(owner.accountId);
    };
    keepOffline(messenger, owner.accountId);
    await work(messenger);
    await database.clock.advance({ minutes: 6 });
    await until(
      () => triedAt(owner.accountId),
      (at) => at !== null,
    );
    expect(await sendersOf(owner)).not.toContain(second);
  });

  test('asks nobody while none of the other accounts is connected', async () => {
    const { owner, second } = await createWaiting();
    await setState(owner.accountId, sql`status = 'reconnecting'`);
    await setState(second, sql`status = 'reconnecting'`);
    await database.clock.advance({ minutes: 5 });
    expect(await downOf(owner)).toEqual([]);
    await setState(second, sql`status = 'connected'`);
    expect(await downOf(owner)).toMatchObject([{ accountId: owner.accountId, isHandedOver: false }]);
  });
});

describe('of several stand-ins', () => {
  test('those take over whose groups can be read, while another does not answer', async () => {
    const { owner, second, campaign } = await createWaiting();
    const third = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [owner.accountId, second, third]);
    await setMinutes(owner, 5);
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    messenger.list = () => listed(owner);
    messenger.onList = (accountId) =>
      accountId === second ? Promise.reject(new AppError('messenger_unavailable', 'no answer')) : Promise.resolve();
    await work(messenger);
    await database.clock.advance({ minutes: 6 });
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(await sendersOf(owner)).toEqual([third, third, third, third]);
  });

  test('one that rests is left out while another can send, and takes over if none can', async () => {
    const { owner, second } = await createWaiting();
    const third = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [owner.accountId, second, third]);
    await setMinutes(owner, 5);
    await setState(owner.accountId);
    await execute(database.db)`
      update accounts set quiet_from = '00:00', quiet_to = '23:59' where account_id = ${second}`;
    await database.clock.set('2031-05-05T12:00:00Z');
    expect(await handAll(owner)).toBe(4);
    expect(await sendersOf(owner)).toEqual([third, third, third, third]);
    await setState(third);
    expect(await handAll(owner, third)).toBe(4);
    expect(await sendersOf(owner)).toEqual([second, second, second, second]);
  });

  test('one whose posts of the day are used up is left out, also when a run begins', async () => {
    const owner = await createOwner(database.db, 4);
    const [second, third] = [await addAccount(database.db, owner), await addAccount(database.db, owner)];
    await setSenders(database.db, owner, [owner.accountId, second, third]);
    await setMinutes(owner, 5);
    await setState(owner.accountId);
    await database.clock.advance({ minutes: 6 });
    await execute(database.db)`update accounts set daily_cap = 3 where account_id = ${second}`;
    await execute(database.db)`
      insert into sent_slots (account_id, slot, posts) values (${second}, quarter_hour(campanile_now()), 3)`;
    await sendNow(database.db, owner);
    expect(await sendersOf(owner)).toEqual([third, third, third, third]);
  });

  test('a rest of the preferred account is waited for', async () => {
    const owner = await createOwner(database.db, 2);
    const second = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [owner.accountId, second]);
    await execute(database.db)`update accounts set daily_cap = 3 where account_id = ${owner.accountId}`;
    await execute(database.db)`
      insert into sent_slots (account_id, slot, posts) values (${owner.accountId}, quarter_hour(campanile_now()), 3)`;
    await sendNow(database.db, owner);
    expect(await sendersOf(owner)).toEqual([owner.accountId, owner.accountId]);
  });

  test('the posts return to the first account after a chain of failures', async () => {
    const { owner, second, campaign } = await createWaiting();
    const third = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [owner.accountId, second, third]);
    await setMinutes(owner, 5);
    const before = await messageIds(owner);
    await setState(owner.accountId);
    await database.clock.advance({ minutes: 6 });
    expect(await handAll(owner)).toBe(4);
    await setState(second);
    expect(await handAll(owner, second)).toBe(4);
    expect(await sendersOf(owner)).toEqual([third, third, third, third]);
    // Otherwise it goes on sending until what is left returns.
    await setState(third);
    await setState(owner.accountId, sql`status = 'connected', status_reason = null`);
    const messenger = scriptMessenger();
    await work(messenger);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(await sendersOf(owner)).toEqual(Array(4).fill(owner.accountId));
    expect(await messageIds(owner)).toEqual(before);
  });
});

describe('while an account cannot send and the workspace wants to be asked', () => {
  test('the next run is sent by an account that can, and nobody is asked', async () => {
    const owner = await createOwner(database.db, 3);
    const second = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [owner.accountId, second]);
    await setState(owner.accountId);
    const messenger = scriptMessenger();
    await work(messenger);
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(messenger.arrivals.map(({ accountId }) => accountId)).toEqual([second, second, second]);
    await database.clock.advance({ minutes: 3 });
    expect(await asked(owner)).toEqual([]);
  });

  test('each run that only it could send asks again, once', async () => {
    const owner = await createOwner(database.db, 2);
    const second = await addAccount(database.db, owner, { canSend: false });
    await setState(owner.accountId);
    await sendNow(database.db, owner);
    await work(scriptMessenger());
    const askedTimes = (times: number) =>
      until(
        () => asked(owner),
        (events) => events.length === times,
      );
    await database.clock.advance({ minutes: 2 });
    await askedTimes(1);
    await database.clock.advance({ minutes: 10 });
    await sendNow(database.db, owner);
    await askedTimes(2);
    await database.clock.advance({ minutes: 10 });
    await sendNow(database.db, owner);
    await askedTimes(3);
    for (let minute = 1; minute <= 5; minute++) {
      await database.clock.advance({ minutes: 1 });
      expect(await downOf(owner)).toEqual([]);
    }
    expect(await asked(owner)).toHaveLength(3);
    expect(await sendersOf(owner)).not.toContain(second);
  });
});

/** The data of the events that ask who is to send. */
async function asked(owner: Owner): Promise<unknown[]> {
  return readColumn<unknown>(database.db)`
    select data from events where workspace_id = ${owner.workspaceId} and type = 'account.waiting'`;
}

async function messageIds(owner: Owner): Promise<string[]> {
  return readColumn<string>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by position`;
}
