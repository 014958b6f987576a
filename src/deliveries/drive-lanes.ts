/**
 * The worker's half that sends: takes turns for the accounts it holds, hands each to the account's session, and has the outcome
 * written down. One turn of an account at a time; many accounts beside each other.
 */
import type { Leases } from '../accounts/leases.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Database } from '../database/connect.ts';
import type { Hints } from '../database/listen.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { MessengerSession, Post, SendResult } from '../messenger/messenger.ts';
import { claimTurns, nextTurnMs, SHARDS_PER_CLAIM, type Turn } from './claim-turns.ts';
import { createFinisher } from './finisher.ts';
import { loadPosts } from './load-posts.ts';
import { openLanes } from './open-lanes.ts';
import { judge } from './outcome.ts';
import { requeueStrays } from './requeue-strays.ts';
import { trySuspects } from './try-suspects.ts';
import { watchTries, type TryHooks, type TryWatch } from './watch-tries.ts';

/** A random gap between two sends of one account, in milliseconds. */
export interface Gap {
  minMs: number;
  maxMs: number;
}

export interface LaneOptions extends TryHooks {
  db: Database;
  log: Log;
  leases: Leases;
  sessions: Sessions;
  hints: Hints;
  /** The gap of each messenger. */
  gaps: Readonly<Record<string, Gap>>;
  /** IANA zone of users who chose none; UTC unless given. */
  timeZone?: string | undefined;
  /** Called for each try, with what it came to: sent, failed, retry or snooze. */
  onOutcome?: (kind: string, count: number) => void;
  onLoopError?: (loop: string) => void;
}

const NEVER_TRIED = { attempts: 0, uncertain: false };
const TURNS_UNDER_WAY = 1_000;
/** When so many are under way, each that ends makes room for one more: those are claimed together, and so long waited for. */
const CLAIMED_TOGETHER = 400;
const GATHERING_MS = 20;
/** At most so many posts are in hand at once, of an account whose messenger has no gap. */
export const DELIVERIES_PER_TURN = 1_000;
/** Over all accounts: what is in hand is in memory. */
const DELIVERIES_IN_HAND = 20_000;
const NO_LEASE_PAUSE_MS = 200;
const REST_WITHOUT_SESSION_MS = 5_000;
const REST_WITHOUT_DATABASE_MS = 1_000;

export interface Lanes {
  wake(): void;
  /** Takes no further turn, and resolves when what is in hand has been sent and written down. */
  stop(): Promise<void>;
}

export function driveLanes(options: LaneOptions): Lanes {
  const { db, log, leases } = options;
  const underWay = new Map<number, { turn: number; ended: Promise<void> }>();
  const finisher = createFinisher({
    db,
    log,
    underWay: () => underWay.size,
    onError: () => options.onLoopError?.('outcomes'),
  });
  const posts = loadPosts(db);
  const trySuspect = trySuspects({ db });
  const paced = Object.entries(options.gaps).flatMap(([name, gap]) => (gap.maxMs > 0 ? [name] : []));
  let inHand = 0;
  /** Deliveries of a turn of the last claim, on average: what the next turns are expected to hold. */
  let usualTurn = DELIVERIES_PER_TURN;
  let claimedMs = -Infinity;
  let claims = 0;
  // A claim whose answer was lost leaves a turn in hand that nobody knows of.
  let mayHaveStrays = false;

  async function step(): Promise<number> {
    const shards = leases.shards();
    if (shards.length === 0 || !leases.maySend()) return NO_LEASE_PAUSE_MS;
    if (mayHaveStrays) {
      const knows = (accountId: number, turn: number) => underWay.get(accountId)?.turn === turn;
      await requeueStrays(db, shards, { inHand: 'sends', knows, gapMsOf: gapMsOf(options.gaps) });
      mayHaveStrays = false;
    }
    const room = Math.min(TURNS_UNDER_WAY - underWay.size, Math.ceil((DELIVERIES_IN_HAND - inHand) / usualTurn));
    if (room <= 0) return 1_000;
    const gatherMs = claimedMs + GATHERING_MS - performance.now();
    if (gatherMs > 0 && underWay.size > TURNS_UNDER_WAY - CLAIMED_TOGETHER) return gatherMs;
    claimedMs = performance.now();
    mayHaveStrays = true;
    let closed: number[] = [];
    const turns = await claimTurns(db, {
      workerId: leases.workerId(),
      shards: startAt(shards, claims++ * SHARDS_PER_CLAIM),
      lanes: room,
      batch: DELIVERIES_PER_TURN,
      paced,
      onClosed: (accountIds) => (closed = accountIds),
    });
    mayHaveStrays = false;
    const watch = watchTries(options, turns);
    const claimed = turns.reduce((sum, turn) => sum + turn.deliveries.length, 0);
    if (turns.length > 0) usualTurn = claimed / turns.length;
    inHand += claimed;
    for (const turn of turns) {
      const { length } = turn.deliveries;
      const ended = takeTurn(turn, watch).finally(() => {
        inHand -= length;
        underWay.delete(turn.accountId);
        loop.wake();
      });
      underWay.set(turn.accountId, { turn: turn.turn, ended });
    }
    if (closed.length > 0) await openLanes(db, closed, options.timeZone ?? 'UTC');
    // Fewer turns than shards looked into: there are hardly any more.
    return closed.length > 0 || turns.length >= SHARDS_PER_CLAIM ? 0 : nextTurnMs(db, shards);
  }

  async function takeTurn(turn: Turn, watch: TryWatch): Promise<void> {
    let begunMs = performance.now();
    const results = await send(turn, () => (begunMs = performance.now()));
    await watch.tell(turn, results, begunMs);
    const outcomes = results.map((result, index) => judge(result, turn.deliveries[index] ?? NEVER_TRIED));
    for (const outcome of outcomes) options.onOutcome?.(outcome.kind, 1);
    await finisher.finish({ turn, outcomes, gapMs: drawGap(options.gaps[turn.messenger]) });
  }

  /** One result a delivery, whatever goes wrong. Until `session.send` is called nothing can have left. */
  async function send(turn: Turn, onBegin: () => void): Promise<SendResult[]> {
    const all = (result: SendResult) => turn.deliveries.map(() => result);
    let session, post;
    try {
      [session, post] = await Promise.all([options.sessions.get(turn.accountId), posts.get(turn.contentId)]);
    } catch (error) {
      log.warn({ err: error, accountId: turn.accountId }, 'a turn could not be prepared');
      return all({ kind: 'offline', reason: 'not ready', restMs: REST_WITHOUT_DATABASE_MS });
    }
    if (!session) return all({ kind: 'offline', reason: 'not linked', restMs: REST_WITHOUT_SESSION_MS });
    const ready = { session, post };
    try {
      return await trySuspect(turn, () => {
        onBegin();
        return sendNow(turn, ready);
      });
    } catch (error) {
      log.warn({ err: error, accountId: turn.accountId }, 'a turn that had been cut off could not be prepared');
      return all({ kind: 'offline', reason: 'not ready', restMs: REST_WITHOUT_DATABASE_MS });
    }
  }

  async function sendNow(turn: Turn, { session, post }: { session: MessengerSession; post: Post }) {
    const all = (result: SendResult) => turn.deliveries.map(() => result);
    if (!leases.maySend()) return all({ kind: 'offline', reason: 'the lease ran out', restMs: 0 });
    try {
      return await session.send(post, turn.deliveries, () => leases.maySend());
    } catch (error) {
      log.warn({ err: error, accountId: turn.accountId }, 'a send broke off, its outcome is unknown');
      return all({ kind: 'unknown', reason: 'the connection to the messaging application broke' });
    }
  }

  const loop = startLoop('lanes', step, { log, ...(options.onLoopError && { onError: options.onLoopError }) });
  options.hints.on('campanile_lanes', () => loop.wake());
  return {
    wake: () => loop.wake(),
    async stop() {
      await loop.stop();
      await Promise.all([...underWay.values()].map((turn) => turn.ended));
    },
  };
}

/**
 * Each claim begins where the last one ended: all shards come first in turn, and accounts that stand side by side in the tables are
 * served one soon after the other.
 */
function startAt(shards: readonly number[], place: number): number[] {
  const first = place % shards.length;
  return [...shards.slice(first), ...shards.slice(0, first)];
}

function drawGap(gap: Gap | undefined): number {
  return gap ? gap.minMs + Math.random() * (gap.maxMs - gap.minMs) : 0;
}

/** The whole gap of each messenger, which a lane waits whose turn was taken from its worker. */
export function gapMsOf(gaps: Readonly<Record<string, Gap>>): Record<string, number> {
  return Object.fromEntries(Object.entries(gaps).map(([name, gap]) => [name, gap.maxMs]));
}
