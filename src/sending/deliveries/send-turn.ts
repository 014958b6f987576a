/** Sends one turn through its account's session: one result a delivery, whatever goes wrong. */
import type { Sessions } from '../sessions/sessions.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Destination, MessengerSession, Post, SendResult } from '../../messengers/messenger.ts';
import { addressTurn, type Addressing } from './address-turn.ts';
import type { Turn } from './claim-turns.ts';
import { recordLeftOut } from './decide-mentions.ts';
import type { Posts } from './load-posts.ts';
import { recordWithoutDevices } from './record-without-devices.ts';
import type { SendSuspect } from './send-poison-suspects.ts';

export interface TurnSending extends Addressing {
  log: Log;
  sessions: Pick<Sessions, 'get'>;
  posts: Posts;
  trySuspect: SendSuspect;
}

const COOLDOWN_WITHOUT_SESSION_MS = 5_000;
const COOLDOWN_WITHOUT_DATABASE_MS = 1_000;
const LOST = { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 } as const;

export interface SendHooks {
  /** Whether the account is still this worker's, as it was when the turn was claimed. */
  mayGoOn: () => boolean;
  /** Called right before `session.send`: until then nothing can have left. */
  onBegin: () => void;
}

const GONE = {
  kind: 'refused',
  reason: 'The group is gone: no account of the workspace is a member any more',
  final: true,
} as const;

/** Posts to groups that are gone are not attempted. Never rejects. */
export async function sendTurn(sending: TurnSending, turn: Turn, hooks: SendHooks): Promise<SendResult[]> {
  const deliveries = turn.deliveries.filter(({ isGone }) => !isGone);
  if (deliveries.length === turn.deliveries.length) return sendPresent(sending, turn, hooks);
  const results = deliveries.length === 0 ? [] : await sendPresent(sending, { ...turn, deliveries }, hooks);
  return turn.deliveries.map(({ isGone }) => (isGone ? GONE : (results.shift() ?? LOST)));
}

async function sendPresent(sending: TurnSending, turn: Turn, hooks: SendHooks): Promise<SendResult[]> {
  const { log, sessions, posts, trySuspect } = sending;
  const { accountId } = turn;
  const notReady = () => all(turn, { kind: 'offline', reason: 'not ready', cooldownMs: COOLDOWN_WITHOUT_DATABASE_MS });
  let session, post, to;
  try {
    [session, post] = await Promise.all([sessions.get(accountId), posts.get(turn.contentId)]);
    to = session && (await addressTurn(sending, turn, post));
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn could not be prepared');
    return notReady();
  }
  if (!session) return all(turn, { kind: 'offline', reason: 'not linked', cooldownMs: COOLDOWN_WITHOUT_SESSION_MS });
  if (!to) return all(turn, LOST);
  const ready = { session, post, to };
  try {
    return await trySuspect(turn, () => {
      hooks.onBegin();
      return sendNow(sending, turn, { ...ready, ...hooks });
    });
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn that had been cut off could not be prepared');
    return notReady();
  }
}

async function sendNow(
  { log, db }: TurnSending,
  turn: Turn,
  { session, post, to, mayGoOn }: { session: MessengerSession; post: Post; to: readonly Destination[] } & SendHooks,
): Promise<SendResult[]> {
  if (!mayGoOn()) return all(turn, LOST);
  let results;
  try {
    results = await session.send(post, to, mayGoOn);
  } catch (error) {
    log.warn({ err: error, accountId: turn.accountId }, 'a send broke off, its outcome is unknown');
    return all(turn, { kind: 'unknown', reason: 'the connection to the messaging application broke' });
  }
  try {
    await recordLeftOut(db, turn, results);
    await recordWithoutDevices(db, turn, results);
  } catch (error) {
    log.warn({ err: error, accountId: turn.accountId }, 'what posts left without could not be recorded');
  }
  return results;
}

function all(turn: Turn, result: SendResult): SendResult[] {
  return turn.deliveries.map(() => result);
}
