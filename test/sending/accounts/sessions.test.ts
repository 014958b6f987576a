/** Sessions that end before their state changes are recorded. */
import { execute, readRows, readValue } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { openSessions } from '../../../src/sending/sessions/sessions.ts';
import { recordState } from '../../../src/sending/sessions/record-state.ts';
import { setAccountsDisabled } from '../../../src/sending/accounts/disable-accounts.ts';
import { lockLane } from '../../../src/sending/accounts/store.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import type { SessionState, OnStateChange } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const WORKER = 1;
const CODE: SessionState = { status: 'linking', method: 'qr', code: 'a code', goodForMs: 60_000 };

const database = await useTestDatabase();
await execute(database.db)`update shards set worker_id = ${WORKER}`;

/** Sessions of a messenger that emits `first` when it links an account, and records each account that it opens. */
function openTestSessions(first: SessionState) {
  const messenger = scriptMessenger();
  const open = messenger.open;
  let close = () => Promise.resolve();
  let linked: { tell: OnStateChange; ended: PromiseWithResolvers<void> } | undefined;
  messenger.link = async (account, _method, tell) => {
    const ended = Promise.withResolvers<void>();
    linked = { tell, ended };
    tell(first);
    const session = await open(account, tell);
    if (!session) throw new Error('there is no session');
    return { ...session, ended: ended.promise, close: () => close() };
  };
  messenger.open = (_account, tell) => {
    tell({ status: 'unlinked', reason: 'It was opened' });
    return Promise.resolve(undefined);
  };
  const sessions = openSessions({
    db: database.db,
    log: createLog('silent'),
    messengers: new Map([[messenger.name, messenger]]),
    workerId: () => WORKER,
  });
  const end = (last: SessionState) => {
    linked?.tell(last);
    linked?.ended.resolve();
  };
  /** The next session to be closed reports the begin of its close, and closes on command. */
  const closeSlowly = () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    close = () => {
      begun.resolve();
      return ended.promise;
    };
    return { begun: begun.promise, end: ended.resolve };
  };
  return { sessions, end, closeSlowly };
}

/** Delays the recording of an account's state changes until the returned function is called. */
async function keepUnwritten(accountId: AccountId): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const holding = database.db.transaction().execute(async (trx) => {
    await lockLane(trx, accountId);
    locked.resolve();
    await letGo.promise;
  });
  await locked.promise;
  return () => {
    letGo.resolve();
    return holding;
  };
}

async function createUnlinked(): Promise<AccountId> {
  const { accountId } = await createOwner(database.db, 0);
  await execute(database.db)`update accounts set status = 'unlinked' where account_id = ${accountId}`;
  return accountId;
}

/** An account whose session emits `first` and then ends with `last`, which is not recorded until `write` is called. */
async function endUnwritten(first: SessionState, last: SessionState) {
  const { sessions, end } = openTestSessions(first);
  const accountId = await createUnlinked();
  await sessions.link(accountId, 'qr');
  const write = await keepUnwritten(accountId);
  end(last);
  await expect.poll(() => sessions.has(accountId)).toBe(false);
  return { sessions, accountId, write };
}

async function statusOf(accountId: AccountId) {
  const rows = await readRows<{ status: string; reason: string | null }>(database.db)`
    select status, status_reason as reason from accounts where account_id = ${accountId}`;
  return rows[0];
}

test('are not reopened for a former state of the account', async () => {
  const last: SessionState = { status: 'unlinked', reason: 'Nobody scanned the code' };
  const { sessions, accountId, write } = await endUnwritten(CODE, last);
  const opened = sessions.get(accountId);
  expect((await statusOf(accountId))?.status).toBe('linking');
  await write();
  expect(await opened).toBeUndefined();
  expect(await statusOf(accountId)).toEqual(last);
});

test('end with the link, so that the account can be linked again at once', async () => {
  const { sessions, accountId, write } = await endUnwritten(
    { status: 'connected' },
    { status: 'logged_out', reason: 'The phone has taken the device off its list' },
  );
  const linked = sessions.link(accountId, 'qr');
  expect((await statusOf(accountId))?.status).toBe('connected');
  await write();
  await linked;
  expect(sessions.has(accountId)).toBe(true);
  expect((await statusOf(accountId))?.status).toBe('connected');
});

test('are not opened while another linking replaces the first', async () => {
  const { sessions, closeSlowly } = openTestSessions(CODE);
  const accountId = await createUnlinked();
  await sessions.link(accountId, 'qr');
  const closing = closeSlowly();
  const linked = sessions.link(accountId, 'pairing_code');
  await closing.begun;
  const opened = sessions.get(accountId);
  closing.end();
  await linked;
  expect(await opened).toBeDefined();
  expect((await statusOf(accountId))?.status).toBe('linking');
});

test('record no state after their worker has lost the account', async () => {
  const { accountId } = await createOwner(database.db, 1);
  const states = async () => {
    return readValue<string>(database.db)`select status from accounts where account_id = ${accountId}`;
  };
  const before = await states();
  const state: SessionState = { status: 'logged_out', reason: 'It was logged out' };
  await recordState(database.db, { accountId, workerId: WORKER + 1, state });
  expect(await states()).toBe(before);
  await recordState(database.db, { accountId, workerId: WORKER, state });
  expect(await states()).toBe('logged_out');
});

test('stay in quarantine when their owner is disabled and enabled', async () => {
  const { accountId, workspaceId } = await createOwner(database.db, 1);
  const read = async () => {
    const rows = await readRows<{ reason: string | null; isHeld: boolean; isDisabled: boolean }>(database.db)`
      select stop_reason as reason, held_until = 'infinity' as "isHeld", disabled_at is not null as "isDisabled"
      from accounts join lanes using (account_id) where account_id = ${accountId}`;
    return rows[0];
  };
  const reason = 'The records contradict each other';
  await execute(database.db)`update accounts set stop_reason = ${reason} where account_id = ${accountId}`;
  for (const isDisabled of [true, false]) {
    await database.db.transaction().execute((trx) => setAccountsDisabled(trx, workspaceId, isDisabled));
    expect(await read()).toEqual({ reason, isHeld: true, isDisabled });
  }
});
