import { STATE_REASONS } from '../../platform/errors/account-states.ts';
import type { Database } from '../../platform/database/statements.ts';
import { createBatcher, type Batcher } from '../../platform/concurrency/batcher.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import type {
  Incident,
  LinkMethod,
  Messenger,
  MessengerAccount,
  MessengerSession,
  PasskeyAssertion,
  SessionState,
} from '../../messengers/messenger.ts';
import { createStateRecorder, type StateRecorder } from './record-state.ts';
import { findAccounts, LINKED, type Account } from '../accounts/store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** The live sessions of the accounts this worker serves. */
export type Sessions = ReturnType<typeof openSessions>;

interface SessionDeps {
  db: Database;
  log: Log;
  messengers: ReadonlyMap<string, Messenger>;
  workerId: () => number;
}

/** Undefined when the account turns out not to be linked. */
type Opening = Promise<MessengerSession | undefined>;

/** What this worker holds. */
interface Held extends SessionDeps {
  /** By account, from when a session is opened or linked until it has ended. */
  sessions: Map<AccountId, Opening>;
  /** What users have asked of an account, until it is done. */
  asked: Map<AccountId, Promise<void>>;
  recorder: StateRecorder;
  /** When the warning of an account ends, by the monotonic clock. */
  warnedUntilMs: Map<AccountId, number>;
  accounts: Batcher<AccountId, Account | undefined>;
}

export function openSessions(deps: SessionDeps) {
  const held: Held = {
    ...deps,
    sessions: new Map(),
    asked: new Map(),
    recorder: createStateRecorder(deps),
    warnedUntilMs: new Map(),
    // Runs of very many accounts may be due at the same minute.
    accounts: createBatcher((accountIds: AccountId[]) => findAccounts(deps.db, accountIds), {
      parallel: 2,
      most: 500,
      isAboutItem: isDataError,
    }),
  };
  return {
    /** The account's session, opened when first asked for; undefined when the account is not linked, or gone. */
    get: (accountId: AccountId) => get(held, accountId),
    /** True while a session is open, or being opened or linked. */
    has: (accountId: AccountId) => held.sessions.has(accountId),
    /** How many are open, or being opened or linked. */
    count: () => held.sessions.size,
    /**
     * Begins to link an account, and resolves when its new state has been written down: connected, or a code to show. Does nothing
     * when it is linked, or already shows a code of that kind. Throws `unavailable` when no code can be had.
     */
    link: (accountId: AccountId, method: LinkMethod) => inTurn(held, accountId, () => link(held, accountId, method)),
    /** Tries an ended link once more. Throws `link_not_kept` when its credentials are gone. */
    retry: (accountId: AccountId) => inTurn(held, accountId, () => retry(held, accountId)),
    /**
     * Shows the passkey that the messaging application asks for, to the session that links the account. Resolves when the state after it has
     * been written down. Throws as `MessengerSession.submitPasskey` does.
     */
    submitPasskey: (accountId: AccountId, assertion: PasskeyAssertion) =>
      inTurn(held, accountId, () => submitPasskey(held, accountId, assertion)),
    /**
     * Lets something befall an account, and resolves when its state has been written down: a banned one is logged out. Throws `not_on_sandbox`
     * where nothing can be simulated.
     */
    simulate: (accountId: AccountId, incident: Incident) =>
      inTurn(held, accountId, () => simulate(held, accountId, incident)),
    /** Ends the account's link, or its linking, and writes that down. Throws `unavailable` when that is not confirmed. */
    unlink: (accountId: AccountId) => inTurn(held, accountId, () => unlink(held, accountId)),
    /** Whether the messaging application restricts the account, so that its gaps are to be longer. */
    isSlowed: (accountId: AccountId) => (held.warnedUntilMs.get(accountId) ?? 0) > performance.now(),
    /** Closes the sessions for which `keep` says no: their lease went to another worker. */
    closeUnless: (keep: (accountId: AccountId) => boolean) => closeUnless(held, keep),
  };
}

function get(held: Held, accountId: AccountId): Opening {
  return held.sessions.get(accountId) ?? keep(held, accountId, open(held, accountId));
}

async function open(held: Held, accountId: AccountId): Opening {
  const { account, messenger } = await find(held, accountId);
  if (!account || !messenger || account.status === 'unlinked' || account.status === 'logged_out') return undefined;
  return messenger.open(withRestrictions(account), (state) => report(held, accountId, state));
}

/** Waits until the account says what was told of it last: a session that has ended is told of before it is written down. */
async function find({ recorder, accounts, messengers }: Held, accountId: AccountId) {
  await recorder.written(accountId);
  const account = await accounts.add(accountId);
  return { account, messenger: account && messengers.get(account.messenger) };
}

/** Returns the account as a messenger takes it. What the messaging application has asked for holds for whoever opens the session next. */
function withRestrictions(account: Account): MessengerAccount {
  const { accountId, phoneNumber, pauseCause: cause, pauseLeftMs: leftMs, pauses: times } = account;
  const isKnown = cause !== null && (leftMs > 0 || times > 0);
  const pause = isKnown ? { cause, reason: account.reason ?? '', leftMs, times } : undefined;
  const { warningReason: reason, warningLeftMs } = account;
  const warning = reason !== null && warningLeftMs > 0 ? { reason, leftMs: warningLeftMs } : undefined;
  return { accountId, workspaceId: account.workspaceId, phoneNumber, pause, warning };
}

function report({ recorder, warnedUntilMs }: Held, accountId: AccountId, state: SessionState): void {
  if (state.warning) warnedUntilMs.set(accountId, performance.now() + state.warning.leftMs);
  else warnedUntilMs.delete(accountId);
  recorder.record(accountId, state);
}

/** Keeps the session that is being opened until it has ended, or could not be opened. */
async function keep({ sessions }: Held, accountId: AccountId, opening: Opening): Opening {
  sessions.set(accountId, opening);
  const drop = () => {
    if (sessions.get(accountId) === opening) sessions.delete(accountId);
  };
  try {
    const session = await opening;
    if (session) void session.ended.then(drop);
    else drop();
    return session;
  } catch (error) {
    drop();
    throw error;
  }
}

async function link(held: Held, accountId: AccountId, method: LinkMethod): Promise<void> {
  const { sessions, recorder } = held;
  const { account } = await find(held, accountId);
  const known = sessions.get(accountId);
  const isLinked = account && LINKED.has(account.status);
  if (isLinked) return;
  const isShown = account?.status === 'linking' && account.linkMethod === method && account.isCodeGood;
  if (known && isShown) return;
  try {
    // In the place of the known one from here on: a session opened meanwhile would take the credentials from the new one.
    await keep(held, accountId, startLinking(held, accountId, method, known));
  } finally {
    await recorder.written(accountId);
  }
}

async function retry(held: Held, accountId: AccountId): Promise<void> {
  const { sessions, recorder } = held;
  const { account } = await find(held, accountId);
  if (account && LINKED.has(account.status)) return;
  const session = await keep(held, accountId, openAgain(held, accountId, sessions.get(accountId)));
  await recorder.written(accountId);
  if (!session) throw new AppError('link_not_kept', 'The former link is no longer kept: link the account again');
}

async function openAgain(held: Held, accountId: AccountId, before: Opening | undefined): Opening {
  if (before) await close(held, accountId, before);
  const { account, messenger } = await find(held, accountId);
  if (!account || !messenger) return undefined;
  const about = { ...withRestrictions(account), isRetry: true };
  return messenger.open(about, (state) => report(held, accountId, state));
}

/** `before`: what is closed first. */
async function startLinking(held: Held, accountId: AccountId, method: LinkMethod, before: Opening | undefined) {
  if (before) await close(held, accountId, before);
  const { account, messenger } = await find(held, accountId);
  if (!account) throw new AppError('user_gone', 'This account no longer exists');
  if (!messenger)
    throw new AppError('messenger_unknown', `This installation has no messenger named ${account.messenger}`);
  return messenger.link(withRestrictions(account), method, (state) => report(held, accountId, state));
}

async function submitPasskey({ sessions, recorder }: Held, accountId: AccountId, assertion: PasskeyAssertion) {
  const session = await sessions.get(accountId);
  if (!session?.submitPasskey)
    throw new AppError('passkey_not_requested', 'The account is not being linked here: connect it again');
  try {
    await session.submitPasskey(assertion);
  } finally {
    await recorder.written(accountId);
  }
}

async function simulate(held: Held, accountId: AccountId, incident: Incident): Promise<void> {
  const { sessions, recorder } = held;
  const { account, messenger } = await find(held, accountId);
  if (!account || !messenger?.simulate) throw new AppError('not_on_sandbox', 'The account is not on the sandbox');
  const state = await messenger.simulate(withRestrictions(account), incident);
  // Only its user links an account that was unlinked.
  if (account.status !== 'unlinked') report(held, accountId, state);
  const known = sessions.get(accountId);
  if (known && state.status !== 'connected') await close(held, accountId, known);
  await recorder.written(accountId);
}

async function unlink(held: Held, accountId: AccountId): Promise<void> {
  const { sessions, recorder } = held;
  const session = await get(held, accountId);
  const isConfirmed = session ? await session.unlink() : await discard(held, accountId);
  sessions.delete(accountId);
  const reason = isConfirmed ? null : STATE_REASONS.remove_by_hand;
  report(held, accountId, { status: 'unlinked', reason, isDiscarded: session === undefined });
  await recorder.written(accountId);
}

/** Deletes what is kept of an ended link, where there is nothing to confirm. */
async function discard(held: Held, accountId: AccountId): Promise<true> {
  const { messenger } = await find(held, accountId);
  await messenger?.discardLink?.(accountId);
  return true;
}

/** What users ask of one account follows each other. */
async function inTurn({ asked }: Held, accountId: AccountId, act: () => Promise<void>): Promise<void> {
  const before = asked.get(accountId);
  const done = (before ?? Promise.resolve()).catch(() => undefined).then(act);
  asked.set(accountId, done);
  try {
    await done;
  } finally {
    if (asked.get(accountId) === done) asked.delete(accountId);
  }
}

async function closeUnless(held: Held, keep: (accountId: AccountId) => boolean): Promise<void> {
  const leaving = [...held.sessions].filter(([accountId]) => !keep(accountId));
  for (const [accountId] of leaving) held.sessions.delete(accountId);
  await Promise.all(leaving.map(([accountId, session]) => close(held, accountId, session)));
}

async function close({ log }: Held, accountId: AccountId, session: Opening): Promise<void> {
  try {
    await (await session)?.close();
  } catch (error) {
    log.warn({ err: error, accountId }, 'a session did not close cleanly');
  }
}
