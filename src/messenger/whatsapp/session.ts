/** The session of one account: keeps a connection, whatever ends it, and does over it what the ledger and the user ask for. */
import { jidDecode, type GroupMetadata } from 'baileys';
import type { Database } from '../../database/connect.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import { sleep } from '../../lib/time.ts';
import type {
  LinkMethod,
  MessengerAccount,
  MessengerGroup,
  MessengerSession,
  SendResult,
  TellState,
} from '../messenger.ts';
import { createChannel, listChannels } from './channels.ts';
import { newCredentials, type Credentials } from './credentials.ts';
import { judgeEnding, judgeRefusal, refusalOf, type Ending } from './failures.ts';
import { createCommunityChats, createGroupChat, listGroupChats } from './groups.ts';
import { keepRecent } from './keep-recent.ts';
import { ClaimLostError, type KeyTable } from './key-table.ts';
import { startLinking, type Linking } from './link.ts';
import { logOut } from './log-out.ts';
import { quietLog } from './quiet-log.ts';
import { sendPost, type Sending } from './send.ts';
import { recallPost, rememberPost } from './sent-posts.ts';
import { isSameNumber } from './same-number.ts';
import { openSocket, type Socket } from './socket.ts';

export interface SessionOptions {
  db: Database;
  log: Log;
  account: MessengerAccount;
  table: KeyTable;
  tell: TellState;
  url: string | undefined;
  /** Places for connections that are being made. */
  connecting: Slots;
  fanOuts: Slots;
  timing: SessionTiming;
}

/** In milliseconds. */
export interface SessionTiming {
  /** The first pause before connecting again; it doubles with each failure up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** How long the answer to a post is waited for. */
  answerMs: number;
  /** How long an account rests when WhatsApp asks for less haste. */
  restMs: number;
}

const GROUPS_KEPT = 2_000;
/** Changes are told; this is for those that were not heard. */
const GROUP_GOOD_FOR_MS = 60 * 60_000;
const CHANNEL_GOOD_FOR_MS = 10 * 60_000;
const OFFLINE_REST_MS = 5_000;
/** A connection that stood for so long was a good one: the next failure is a first one. */
const STEADY_MS = 60_000;

export interface WhatsAppSession extends MessengerSession {
  /** Resolves when a code to link with has been told; rejects when there is none to be had. */
  linking: Promise<void>;
}

/** With credentials it connects; without, it links the account first by this method. */
export function startSession(
  options: SessionOptions,
  start: { credentials: Credentials } | { method: LinkMethod },
): WhatsAppSession {
  const { db, log, account, table, tell, timing } = options;
  const { accountId } = account;
  const closing = new AbortController();
  const groups = keepRecent<GroupMetadata>({ most: GROUPS_KEPT, forMs: GROUP_GOOD_FOR_MS });
  const channels = keepRecent<MessengerGroup>({ most: GROUPS_KEPT, forMs: CHANNEL_GOOD_FOR_MS });
  const clientLog = quietLog(log.child({ accountId }));
  const linking = 'method' in start ? startLinking({ ...start, account, tell, signal: closing.signal }) : undefined;
  const credentials = 'credentials' in start ? start.credentials : newCredentials(table);
  let online: Socket | undefined;
  let rest: { reason: string; untilMs: number; ended: NodeJS.Timeout } | undefined;
  let saving: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let isLeaving = false;

  function connect(): Socket {
    const socket: Socket = openSocket({
      url: options.url,
      credentials,
      log: clientLog,
      recall: (chatId, messageId) => recallPost(db, accountId, { chatId, messageId }),
      groupOf: (chatId) => groups.get(chatId, () => socket.client.groupMetadata(chatId)),
      onGroupChange: (chatId) => groups.forget(chatId),
      onQr: (qr) => void linking?.show(qr),
      onCredentials() {
        if (!credentials.isLinked()) return;
        if (isForeign(credentials)) {
          // Before the client signs: the phone is told that linking failed, and nothing is linked.
          linking?.fail(
            `The phone that was used has another number than ${account.phoneNumber}, which you signed up with`,
          );
          socket.end();
          return;
        }
        saving = saving.then(() => save(socket));
      },
    });
    return socket;
  }

  const isForeign = ({ creds }: Credentials) =>
    account.phoneNumber !== undefined && !isSameNumber(jidDecode(creds.me?.id)?.user ?? '', account.phoneNumber);

  /** A lost change of the credentials would break the session for good, so the connection does not outlive one. */
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
    let failures = 0;
    if (linking && !(await link(linking))) return;
    while (!closing.signal.aborted) {
      const began = performance.now();
      const ending = await liveOnce();
      if (closing.signal.aborted || isLeaving) return;
      if (ending.kind === 'over') return endFor(ending.reason);
      failures = performance.now() - began > STEADY_MS ? 1 : failures + 1;
      await pauseAfter(ending, failures);
    }
  }

  /** One connection, from its beginning to its end. */
  async function liveOnce(): Promise<Ending> {
    const giveBack = await options.connecting.take({ signal: closing.signal });
    const socket = connect();
    const stop = () => socket.end();
    closing.signal.addEventListener('abort', stop, { once: true });
    void socket.opened.then(() => {
      giveBack();
      if (isForeign(credentials)) return refuseForeign(socket);
      online = socket;
      tell({ status: 'connected' });
    });
    const code = await socket.ended;
    giveBack();
    closing.signal.removeEventListener('abort', stop);
    online = undefined;
    endRest();
    await saving;
    return judgeEnding(code);
  }

  async function pauseAfter(ending: Exclude<Ending, { kind: 'over' }>, failures: number): Promise<void> {
    if (ending.kind === 'again' && ending.atOnce && failures <= 2) return;
    const { firstPauseMs, longestPauseMs, restMs } = timing;
    const scale = 2 ** Math.min(failures - 1, 20) * (0.75 + Math.random() / 2);
    const pauseMs =
      ending.kind === 'rest'
        ? Math.min(ending.times * restMs * scale, HOUR_MS)
        : Math.min(firstPauseMs * scale, longestPauseMs);
    const { reason } = ending;
    if (ending.kind === 'rest' && ending.status === 'paused') tell({ status: 'paused', reason, restMs: pauseMs });
    else tell({ status: 'reconnecting', reason });
    log.info(
      { accountId, reason, pauseMs: Math.round(pauseMs) },
      'a connection to WhatsApp has ended and will be made again',
    );
    await sleep(pauseMs, closing.signal);
  }

  async function endFor(reason: string): Promise<void> {
    log.warn({ accountId, reason }, 'the link of an account to WhatsApp has ended');
    await table.clear();
    tell({ status: 'logged_out', reason });
  }

  /** Waits until a phone has taken a code; false when none did. */
  async function link({ use, giveUp }: Linking): Promise<boolean> {
    // What an earlier attempt has left is of no use.
    await table.clear();
    const socket = connect();
    use(socket.client);
    const stop = () => socket.end();
    closing.signal.addEventListener('abort', stop, { once: true });
    await socket.ended;
    closing.signal.removeEventListener('abort', stop);
    await saving;
    if (credentials.isLinked() && !isForeign(credentials)) return true;
    giveUp();
    return false;
  }

  /** The last resort, should a phone have been linked all the same. */
  function refuseForeign(socket: Socket): void {
    logOut(socket)
      .catch((error: unknown) =>
        log.warn({ err: error, accountId }, 'a phone with another number could not be unlinked'),
      )
      .finally(() => socket.end());
  }

  function requireOnline(): Socket {
    if (online) return online;
    throw new AppError('unavailable', 'Your account is not connected to WhatsApp just now, try again in a moment', {
      retryAfterSeconds: 5,
    });
  }

  /** Asks for something that takes effect: what was refused has not, what was not answered may have. */
  async function ask<Answer>(what: string, act: (socket: Socket) => Promise<Answer>): Promise<Answer> {
    const socket = requireOnline();
    try {
      return await act(socket);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const code = refusalOf(error);
      if (code === undefined) {
        const message = `The connection to WhatsApp broke while ${what}: sync your groups to see what exists`;
        throw new AppError('unavailable', message, { retryAfterSeconds: 5, outcomeUnknown: true, cause: error });
      }
      const refusal = judgeRefusal(code);
      if (refusal.kind === 'rest') startRest(refusal.reason);
      throw new AppError(refusal.kind === 'final' ? 'conflict' : 'unavailable', `WhatsApp refused ${what} (${code})`, {
        cause: error,
      });
    }
  }

  function startRest(reason: string): number {
    const { restMs } = timing;
    endRest();
    const ended = setTimeout(() => {
      rest = undefined;
      if (online) tell({ status: 'connected' });
    }, restMs);
    rest = { reason, untilMs: performance.now() + restMs, ended };
    tell({ status: 'paused', reason, restMs });
    return restMs;
  }

  function endRest(): void {
    clearTimeout(rest?.ended);
    rest = undefined;
  }

  const sendingOver = ({ client }: Socket): Sending => ({
    client,
    log,
    groups,
    channels,
    remember: (post) => rememberPost(db, accountId, post),
    fanOuts: options.fanOuts,
    answerMs: timing.answerMs,
    rest: startRest,
  });

  const ended = run()
    .catch((error: unknown) => {
      if (closing.signal.aborted || error instanceof ClaimLostError) return;
      log.error({ err: error, accountId }, 'the session of an account failed');
      linking?.fail('The account could not be linked: try again');
      if (!linking) tell({ status: 'reconnecting', reason: 'The session failed and is opened anew' });
    })
    .finally(() => (isOver = true));

  return {
    linking: linking?.shown ?? Promise.resolve(),
    ended: ended.then(() => undefined),
    async send(post, to) {
      const results: SendResult[] = [];
      for (const one of to) {
        const left = rest ? rest.untilMs - performance.now() : 0;
        if (left > 0) results.push({ kind: 'offline', reason: rest?.reason ?? '', restMs: left });
        else if (online) results.push(await sendPost(sendingOver(online), post, one));
        else results.push({ kind: 'offline', reason: 'not connected', restMs: OFFLINE_REST_MS });
      }
      return results;
    },
    listGroups: () =>
      ask('reading your groups', async ({ client }) => [
        ...(await listGroupChats(client)),
        ...(await listChannels(client)),
      ]),
    createGroup: (group) => ask('creating the group', ({ client }) => createGroupChat(client, group)),
    createCommunity: (community) =>
      ask('creating the community', async ({ client }) => {
        const created = await createCommunityChats(client, community);
        if (created) return created;
        const message = 'WhatsApp did not say whether the community was created: sync your groups to see';
        throw new AppError('unavailable', message, { outcomeUnknown: true });
      }),
    createChannel: (channel) => ask('creating the channel', ({ client }) => createChannel(client, channel)),
    async unlink() {
      // Nothing to end at WhatsApp before a phone has agreed, nor after the end.
      if (credentials.isLinked() && !isOver) {
        const socket = requireOnline();
        isLeaving = true;
        await logOut(socket).catch((error: unknown) => {
          isLeaving = false;
          const message = 'WhatsApp did not confirm that the link was ended: try again in a moment';
          throw new AppError('unavailable', message, { retryAfterSeconds: 5, cause: error });
        });
      }
      closing.abort();
      await ended;
      await table.clear();
    },
    async close() {
      closing.abort();
      endRest();
      await ended;
      await saving;
    },
  };
}

const HOUR_MS = 60 * 60_000;
