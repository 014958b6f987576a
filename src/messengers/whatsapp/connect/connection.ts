/**
 * Keeps one account connected: links it first if necessary, and reconnects until the end is final.
 *
 *   link ──► connect, be online ◄──► pause        the connection ended, and not for good
 *     │                │
 *     └──► over ◄──────┘                          nobody scanned · the link has ended · the session is closed
 *
 * `connectOnce` is one connection from its opening to its `Ending`; `reconnect-backoff.ts` computes the pause after it.
 */
import { STATE_REASONS } from '../../../platform/errors/account-states.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { PauseCause } from '../../messenger.ts';
import { createReconnectBackoff, type Break } from './reconnect-backoff.ts';
import { connectOnce, linkOnce } from './connect-once.ts';
import type { ConnectionOptions, ConnectionState } from './connection-state.ts';
import { ClaimLostError } from './key-table.ts';
import { logOut } from './log-out.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf, unavailable, unreachable } from '../client/errors.ts';

export type Connection = ReturnType<typeof startConnection>;

export function startConnection(options: ConnectionOptions) {
  const state: ConnectionState = {
    ...options,
    online: undefined,
    whenOnline: Promise.withResolvers(),
    isStored: options.linking === undefined,
    saving: Promise.resolve(),
    isLeaving: false,
    isOver: false,
    isNewLink: options.linking !== undefined,
  };
  const ended = reconnectUntilClosed(state);
  return {
    /** Undefined while there is no connection. */
    online: () => state.online?.client,
    /** Throws an AppError (`account_not_connected`) while there is no connection. */
    requireOnline: () => requireOnline(state),
    /** Resolves when no connection is made any more. */
    ended,
    /**
     * Ends the link at WhatsApp, and the connection for good. False if there is no connection in time. Throws an AppError
     * (`messenger_unavailable`, `messenger_unreachable`) when WhatsApp does not confirm.
     */
    unlink: () => unlink(state, ended),
    async close() {
      state.closing.abort();
      await ended;
      await state.saving;
    },
  };
}

/** Resolves when no connection is made any more; never rejects. */
async function reconnectUntilClosed(state: ConnectionState): Promise<void> {
  const { account, credentials, linking, cooldown, closing, log } = state;
  try {
    await run(state);
  } catch (error) {
    if (closing.signal.aborted || error instanceof ClaimLostError) return;
    log.error({ err: error, accountId: account.accountId }, 'the session of an account failed');
    if (linking && !credentials.isLinked()) linking.fail(STATE_REASONS.link_failed);
    else cooldown.report({ status: 'reconnecting', reason: STATE_REASONS.session_failed });
  } finally {
    state.isOver = true;
    cooldown.stop();
  }
}

async function run(state: ConnectionState): Promise<void> {
  const { linking, closing, table, timing } = state;
  if (linking && !(await linkOnce(state, linking))) return;
  if (state.isRetry) await table.revive();
  await waitForLogin(state);
  const nextPauseMs = createReconnectBackoff(timing);
  while (!closing.signal.aborted) {
    const beganMs = performance.now();
    const ending = await connectOnce(state);
    if (closing.signal.aborted || state.isLeaving) return;
    if (ending.kind === 'over') return endLink(state, ending.reason);
    await pause(state, ending, nextPauseMs(ending, performance.now() - beganMs));
    // Another worker that serves the account by now must not lose its connection to us.
    if (ending.kind === 'cooldown') await table.requireClaim();
  }
}

/** During these cool-downs a login would prolong them, or be rejected. */
const NO_LOGIN: ReadonlySet<PauseCause> = new Set(['rate_limited', 'banned']);

/** Waits for the end of a cool-down that forbids logins. */
async function waitForLogin({ cooldown, closing }: ConnectionState): Promise<void> {
  const resting = cooldown.now();
  if (!resting || !NO_LOGIN.has(resting.cause)) return;
  cooldown.report({ status: 'reconnecting', reason: resting.reason });
  await sleep(resting.leftMs, closing.signal);
}

async function pause(state: ConnectionState, broken: Break, backoffMs: number): Promise<void> {
  if (backoffMs === 0) return;
  const { account, closing, log } = state;
  const { reason } = broken;
  const pauseMs = emitPause(state, broken, backoffMs);
  log.info(
    { accountId: account.accountId, reason, pauseMs },
    'a connection to WhatsApp has ended and will be made again',
  );
  await sleep(pauseMs, closing.signal);
}

/** Reports the pause. Returns its length in milliseconds. */
function emitPause({ cooldown }: ConnectionState, broken: Break, backoffMs: number): number {
  const { reason } = broken;
  if (broken.kind !== 'cooldown' || !broken.cause) {
    cooldown.report({ status: 'reconnecting', reason });
    return backoffMs;
  }
  // The length of a rate limit comes from the cool-down, which survives restarts.
  const forMs = broken.forMs ?? (broken.cause === 'rate_limited' ? undefined : backoffMs);
  return cooldown.begin({ cause: broken.cause, reason, forMs, isOffline: true });
}

/** WhatsApp may be wrong, or link the number never again: the credentials are kept for a while, unless this was the second try. */
async function endLink({ account, table, cooldown, isRetry, log }: ConnectionState, reason: string): Promise<void> {
  log.warn({ accountId: account.accountId, reason }, 'the link of an account to WhatsApp has ended');
  const retryForMs = isRetry ? undefined : await table.markEnded();
  if (isRetry) await table.clear();
  cooldown.report({ status: 'logged_out', reason, retryForMs });
}

function requireOnline({ online }: ConnectionState): Client {
  if (online) return online.client;
  throw new AppError(
    'account_not_connected',
    'Your account is not connected to WhatsApp just now, try again in a moment',
    {
      retryAfterSeconds: 5,
    },
  );
}

async function unlink(state: ConnectionState, ended: Promise<void>): Promise<boolean> {
  // Before a phone has agreed and after the end of the link there is nothing to end at WhatsApp.
  const isConfirmed = !state.credentials.isLinked() || state.isOver || (await leave(state, ended));
  state.closing.abort();
  await ended;
  // Before that they are of a former link, which has ended and is kept.
  if (state.credentials.isLinked()) await state.table.clear();
  return isConfirmed;
}

/** Ends the link at WhatsApp; false if there is no connection in time. */
async function leave(state: ConnectionState, ended: Promise<void>): Promise<boolean> {
  await Promise.race([state.whenOnline.promise, ended, sleep(state.timing.leaveMs, state.closing.signal)]);
  if (!state.online) return false;
  state.isLeaving = true;
  try {
    await logOut(state.online);
    return true;
  } catch (error) {
    state.isLeaving = false;
    const message = 'WhatsApp did not confirm that the link was ended: try again in a moment';
    throw rejectionCodeOf(error) === undefined ? unreachable(message, error) : unavailable(message, error);
  }
}
