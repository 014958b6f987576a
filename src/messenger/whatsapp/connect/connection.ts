/** Keeps one account connected: links it first if need be, and connects again for as long as that makes sense. */
import { jidDecode } from 'baileys';
import { AppError } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import type { Slots } from '../../../lib/slots.ts';
import { sleep } from '../../../lib/time.ts';
import type { MessengerAccount } from '../../messenger.ts';
import type { Credentials } from './credentials.ts';
import { judgeEnding, type Ending } from '../failures.ts';
import { ClaimLostError, type KeyTable } from './key-table.ts';
import type { Linking } from './link.ts';
import { logOut } from './log-out.ts';
import type { Rest } from './rest.ts';
import { isSameNumber } from './same-number.ts';
import { openSocket, type Socket, type SocketOptions } from './socket.ts';

export interface Connection {
  /** Undefined while there is none. */
  online(): Socket | undefined;
  /** Throws an AppError, `unavailable`, while there is none. */
  requireOnline(): Socket;
  /** Resolves when it will not be made again. */
  ended: Promise<void>;
  /**
   * Ends the link at WhatsApp, and with it the connection for good. False when there is no connection and none comes about in
   * time. Throws `unavailable` when WhatsApp does not confirm.
   */
  unlink(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  account: MessengerAccount;
  credentials: Credentials;
  table: KeyTable;
  log: Log;
  rest: Rest;
  /** Set when the account has to be linked first. */
  linking: Linking | undefined;
  /** Places for connections that are being made. */
  connecting: Slots;
  timing: ConnectionTiming;
  socket: Omit<SocketOptions, 'credentials' | 'onCredentials' | 'onQr'>;
  /** Aborted when the account is to be left alone. */
  closing: AbortController;
}

/** In milliseconds. */
export interface ConnectionTiming {
  /** The first pause before connecting again; it doubles with each failure up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** How long an account rests when WhatsApp asks for less haste. */
  restMs: number;
  /** How long a connection is waited for that WhatsApp can be told over that the link is ended. */
  leaveMs: number;
  /** A connection that stood for longer was a good one: the next failure is a first one. */
  steadyMs: number;
}

/** The client's own code, after the last of the codes to scan. */
const TIMED_OUT = 408;
const LONGEST_REST_MS = 60 * 60_000;
/**
 * A link that two use passes from one to the other, each time for as long as the other rests. Only one that was left to us for
 * longer than that can be has no other user any more.
 */
const UNDISPUTED_MS = 2 * LONGEST_REST_MS;

export function keepConnected(options: ConnectionOptions): Connection {
  const { account, credentials, table, log, rest, linking, closing } = options;
  const { accountId, phoneNumber } = account;
  let online: Socket | undefined;
  let whenOnline = Promise.withResolvers<void>();
  let saving: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let isLeaving = false;

  function connect(): Socket {
    const socket: Socket = openSocket({
      ...options.socket,
      credentials,
      onQr: (qr) => void linking?.show(qr),
      onCredentials() {
        if (!credentials.isLinked()) return;
        if (!isForeign()) saving = saving.then(() => save(socket));
        else {
          // Before the client signs: the phone is told that linking failed, and nothing is linked.
          linking?.fail(`The phone that was used has another number than ${phoneNumber}, which you signed up with`);
          socket.end();
        }
      },
    });
    return socket;
  }

  const isForeign = () =>
    phoneNumber !== undefined && !isSameNumber(jidDecode(credentials.creds.me?.id)?.user ?? '', phoneNumber);

  /** A lost change of the credentials would break the link for good, so the connection does not outlive one. */
  async function save(socket: Socket): Promise<void> {
    try {
      await credentials.save();
    } catch (error) {
      if (error instanceof ClaimLostError) closing.abort();
      log.warn({ err: error, accountId }, 'the credentials of an account could not be stored');
      socket.end();
    }
  }

  async function run(): Promise<void> {
    const inARow = { again: 0, rest: 0 };
    if (linking && !(await link(linking))) return;
    const resting = rest.now();
    // To connect would be haste as well.
    if (resting?.cause === 'rate_limited') await waitOut(resting);
    while (!closing.signal.aborted) {
      const began = performance.now();
      const ending = await connectOnce();
      if (closing.signal.aborted || isLeaving) return;
      if (ending.kind === 'over') return endFor(ending.reason);
      const stoodMs = performance.now() - began;
      if (stoodMs > options.timing.steadyMs) inARow.again = 0;
      if (stoodMs > UNDISPUTED_MS) inARow.rest = 0;
      await pauseAfter(ending, (inARow[ending.kind] += 1));
      // Whoever serves the account by now must not lose its connection to us.
      if (ending.kind === 'rest') await table.requireClaim();
    }
  }

  /** Waits until a phone has taken a code; false when none did. */
  async function link({ use, giveUp }: Linking): Promise<boolean> {
    // What an earlier attempt has left is of no use.
    await table.clear();
    const socket = connect();
    use(socket);
    const code = await endOf(socket);
    if (credentials.isLinked() && !isForeign()) return true;
    giveUp(code === TIMED_OUT);
    return false;
  }

  /** One connection, from its beginning to its end. */
  async function connectOnce(): Promise<Ending> {
    const giveBack = await options.connecting.take({ signal: closing.signal });
    const socket = connect();
    void socket.opened.then(() => {
      giveBack();
      if (isForeign()) return refuseForeign(socket);
      online = socket;
      whenOnline.resolve();
      rest.tell({ status: 'connected' });
    });
    const code = await endOf(socket);
    giveBack();
    online = undefined;
    whenOnline = Promise.withResolvers();
    return judgeEnding(code);
  }

  async function endOf(socket: Socket): Promise<number | undefined> {
    const stop = () => socket.end();
    closing.signal.addEventListener('abort', stop, { once: true });
    const code = await socket.ended;
    closing.signal.removeEventListener('abort', stop);
    await saving;
    return code;
  }

  async function pauseAfter(ending: Exclude<Ending, { kind: 'over' }>, failures: number): Promise<void> {
    if (ending.kind === 'again' && ending.atOnce && failures <= 2) return;
    const { reason } = ending;
    const pauseMs = beginPause(ending, failures);
    log.info({ accountId, reason, pauseMs }, 'a connection to WhatsApp has ended and will be made again');
    await sleep(pauseMs, closing.signal);
  }

  function beginPause(ending: Exclude<Ending, { kind: 'over' }>, failures: number): number {
    const pauseMs = pauseFor(ending, failures, options.timing);
    const { reason } = ending;
    if (ending.kind !== 'rest' || !ending.cause) {
      rest.tell({ status: 'reconnecting', reason });
      return pauseMs;
    }
    // How long one has to be slower is remembered by the rest, also after a restart.
    const forMs = ending.cause === 'rate_limited' ? undefined : pauseMs;
    return rest.begin({ cause: ending.cause, reason, forMs, isOffline: true });
  }

  async function waitOut({ reason, leftMs }: { reason: string; leftMs: number }): Promise<void> {
    rest.tell({ status: 'reconnecting', reason });
    await sleep(leftMs, closing.signal);
  }

  async function endFor(reason: string): Promise<void> {
    log.warn({ accountId, reason }, 'the link of an account to WhatsApp has ended');
    await table.clear();
    rest.tell({ status: 'logged_out', reason });
  }

  /** The last resort, should a phone have been linked all the same. */
  function refuseForeign(socket: Socket): void {
    logOut(socket)
      .catch((error: unknown) => log.warn({ err: error, accountId }, 'a phone with another number stays linked'))
      .finally(() => socket.end());
  }

  function requireOnline(): Socket {
    if (online) return online;
    throw new AppError('unavailable', 'Your account is not connected to WhatsApp just now, try again in a moment', {
      retryAfterSeconds: 5,
    });
  }

  async function leave(): Promise<boolean> {
    await Promise.race([whenOnline.promise, ended, sleep(options.timing.leaveMs, closing.signal)]);
    if (!online) return false;
    isLeaving = true;
    try {
      await logOut(online);
      return true;
    } catch (error) {
      isLeaving = false;
      const message = 'WhatsApp did not confirm that the link was ended: try again in a moment';
      throw new AppError('unavailable', message, { retryAfterSeconds: 5, cause: error });
    }
  }

  const ended = run()
    .catch((error: unknown) => {
      if (closing.signal.aborted || error instanceof ClaimLostError) return;
      log.error({ err: error, accountId }, 'the session of an account failed');
      if (linking && !credentials.isLinked()) linking.fail('The account could not be linked: try again');
      else rest.tell({ status: 'reconnecting', reason: 'The session failed and is opened anew' });
    })
    .finally(() => {
      isOver = true;
      rest.stop();
    });

  return {
    online: () => online,
    requireOnline,
    ended: ended.then(() => undefined),
    async unlink() {
      // Nothing to end at WhatsApp before a phone has agreed, nor after the end.
      const isTold = !credentials.isLinked() || isOver || (await leave());
      closing.abort();
      await ended;
      await table.clear();
      return isTold;
    },
    async close() {
      closing.abort();
      await ended;
      await saving;
    },
  };
}

/** Grows with each failure, with some jitter: after an outage not everybody comes back at the same moment. */
function pauseFor(
  ending: Exclude<Ending, { kind: 'over' }>,
  failures: number,
  { firstPauseMs, longestPauseMs, restMs }: ConnectionTiming,
): number {
  const scale = 2 ** Math.min(failures - 1, 20) * (0.75 + Math.random() / 2);
  const pauseMs =
    ending.kind === 'rest'
      ? Math.min(ending.times * restMs * scale, LONGEST_REST_MS)
      : Math.min(firstPauseMs * scale, longestPauseMs);
  return Math.round(pauseMs);
}
