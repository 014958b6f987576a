import type { Database } from '../database/connect.ts';
import { createBatch } from '../lib/batch.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { sleep } from '../lib/time.ts';
import type {
  LinkMethod,
  Messenger,
  MessengerAccount,
  MessengerSession,
  SessionState,
} from '../messenger/messenger.ts';
import { recordState } from './record-state.ts';
import { findAccounts, type Account } from './store.ts';

/** The live sessions of the accounts this worker serves. */
export interface Sessions {
  /** The account's session, opened when first asked for; undefined when the account is not linked, or gone. */
  get(accountId: number): Promise<MessengerSession | undefined>;
  /** True while a session is open, or being opened or linked. */
  has(accountId: number): boolean;
  /**
   * Begins to link an account, and resolves when its new state has been written down: connected, or a code to show. Does nothing
   * when it is linked, or already shows a code of that kind. Throws `unavailable` when no code can be had.
   */
  link(accountId: number, method: LinkMethod): Promise<void>;
  /** Ends the account's link, or its linking, and writes that down. Throws `unavailable` when that is not confirmed. */
  unlink(accountId: number): Promise<void>;
  /** Closes the sessions for which `keep` says no: their lease went to another worker. */
  closeUnless(keep: (accountId: number) => boolean): Promise<void>;
}

interface SessionDeps {
  db: Database;
  log: Log;
  messengers: ReadonlyMap<string, Messenger>;
  workerId: () => number;
}

const RECORDING_PAUSE_MS = 500;
const REMOVE_BY_HAND =
  'The messaging application could not be told: take this device off the list of linked devices on your phone';

export function openSessions(deps: SessionDeps): Sessions {
  const { db, log } = deps;
  const sessions = new Map<number, Promise<MessengerSession | undefined>>();
  const asked = new Map<number, Promise<void>>();
  const recorder = recordInOrder(deps);
  // Runs of very many accounts may be due at the same minute.
  const accounts = createBatch((accountIds: number[]) => findAccounts(db, accountIds), { parallel: 2, most: 500 });

  async function open(accountId: number): Promise<MessengerSession | undefined> {
    const { account, messenger } = await find(accountId);
    if (!account || !messenger || account.status === 'unlinked' || account.status === 'logged_out') return undefined;
    return messenger.open(withPause(account), (state) => recorder.tell(accountId, state));
  }

  /** Waits until the account says what was told of it last: a session that has ended is told of before it is written down. */
  async function find(accountId: number) {
    await recorder.written(accountId);
    const account = await accounts.add(accountId);
    return { account, messenger: account && deps.messengers.get(account.messenger) };
  }

  async function close(accountId: number, session: Promise<MessengerSession | undefined>) {
    try {
      await (await session)?.close();
    } catch (error) {
      log.warn({ err: error, accountId }, 'a session did not close cleanly');
    }
  }

  /** Keeps the session that is being opened until it has ended, or could not be opened. */
  async function keep(accountId: number, opening: Promise<MessengerSession | undefined>) {
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

  async function startLinking(accountId: number, method: LinkMethod): Promise<MessengerSession> {
    const { account, messenger } = await find(accountId);
    if (!account) throw new AppError('not_found', 'This account no longer exists');
    if (!messenger) throw new AppError('conflict', `There is no messenger of the name ${account.messenger} here`);
    return messenger.link(account, method, (state) => recorder.tell(accountId, state));
  }

  async function link(accountId: number, method: LinkMethod): Promise<void> {
    const known = sessions.get(accountId);
    const { account } = await find(accountId);
    const isLinked = account && LINKED.has(account.status);
    if (isLinked) return;
    const isShown = account?.status === 'linking' && account.linkMethod === method && account.isCodeGood;
    if (known && isShown) return;
    if (known) {
      sessions.delete(accountId);
      await close(accountId, known);
    }
    try {
      await keep(accountId, startLinking(accountId, method));
    } finally {
      await recorder.written(accountId);
    }
  }

  async function unlink(accountId: number): Promise<void> {
    const session = await get(accountId);
    const isTold = (await session?.unlink()) ?? true;
    sessions.delete(accountId);
    recorder.tell(accountId, { status: 'unlinked', reason: isTold ? null : REMOVE_BY_HAND });
    await recorder.written(accountId);
  }

  /** What users ask of one account follows each other. */
  async function inTurn(accountId: number, act: () => Promise<void>): Promise<void> {
    const before = asked.get(accountId);
    const done = (before ?? Promise.resolve()).catch(() => undefined).then(act);
    asked.set(accountId, done);
    try {
      await done;
    } finally {
      if (asked.get(accountId) === done) asked.delete(accountId);
    }
  }

  const get = (accountId: number) => sessions.get(accountId) ?? keep(accountId, open(accountId));

  return {
    get,
    has: (accountId) => sessions.has(accountId),
    link: (accountId, method) => inTurn(accountId, () => link(accountId, method)),
    unlink: (accountId) => inTurn(accountId, () => unlink(accountId)),
    async closeUnless(keep) {
      const leaving = [...sessions].filter(([accountId]) => !keep(accountId));
      for (const [accountId] of leaving) sessions.delete(accountId);
      await Promise.all(leaving.map(([accountId, session]) => close(accountId, session)));
    },
  };
}

/** What the messaging application has asked for holds for whoever opens the session next. */
function withPause(account: Account): MessengerAccount {
  const { accountId, phoneNumber, pauseCause: cause, pauseLeftMs: leftMs, pauses: times } = account;
  const isKnown = cause !== null && (leftMs > 0 || times > 0);
  const pause = isKnown ? { cause, reason: account.reason ?? '', leftMs, times } : undefined;
  return { accountId, phoneNumber, pause };
}

const LINKED: ReadonlySet<string> = new Set<SessionState['status']>(['connected', 'reconnecting', 'paused']);

/** What sessions tell is written down in order, of each account the newest state: one that is outdated by then is passed over. */
function recordInOrder({ db, log, workerId }: SessionDeps) {
  const told = new Map<number, { state: SessionState; written: Promise<void> }>();

  async function write(accountId: number): Promise<void> {
    for (;;) {
      const state = told.get(accountId)?.state;
      if (!state) return;
      try {
        await recordState(db, { accountId, workerId: workerId(), state });
      } catch (error) {
        log.warn({ err: error, accountId }, 'the state of an account could not be written down yet');
        await sleep(RECORDING_PAUSE_MS);
        continue;
      }
      if (told.get(accountId)?.state !== state) continue;
      told.delete(accountId);
      return;
    }
  }

  return {
    tell(accountId: number, state: SessionState) {
      const pending = told.get(accountId);
      if (pending) pending.state = state;
      else {
        const entry = { state, written: Promise.resolve() };
        told.set(accountId, entry);
        entry.written = write(accountId);
      }
    },
    written: (accountId: number): Promise<void> => told.get(accountId)?.written ?? Promise.resolve(),
  };
}
