/**
 * The worker's half that sends: takes turns for the accounts it holds, hands each to the account's session, and has the outcome
 * written down. A turn sends posts, or recalls or corrects what has left. One turn of an account at a time; many accounts beside
 * each other.
 */
import { sql, type Database } from '../../platform/database/statements.ts';
import type { Held, InHand, Leases } from '../leases/leases.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { MessengersCapabilities } from '../../messengers/messenger.ts';
import type { RevisionTurn } from './claim-revisions.ts';
import { claimIsolated, claimRuledIsolated } from './claim-isolated.ts';
import { hasTurns, nextTurnMs, SHARDS_PER_CLAIM, type Turn } from './claim-turns.ts';
import { createFinisher, createOutcomeWriter, type Finisher, type OutcomeWriter } from './outcome-writer.ts';
import { finishRevision } from './finish-revision.ts';
import { loadPosts } from './load-posts.ts';
import { classifyResult } from './outcome.ts';
import { watchFutureInstants, type FutureLimit } from './limit-future-instants.ts';
import { randomGapMs, pacedOf, SLOWED_TIMES, type Gaps, type Sender } from './pace.ts';
import { watchOrphanedTurns, type OrphanWatch } from './requeue-orphaned-turns.ts';
import { reviseTurn, type TurnRevising } from './revise-turn.ts';
import { sendTurn, type TurnSending } from './send-turn.ts';
import { createSuspectSender } from './send-poison-suspects.ts';
import { hasRevisions, watchRevisions, type RevisionWatch } from './watch-revisions.ts';
import { createAttemptMetrics, type AttemptHooks, type AttemptMetrics } from './attempt-metrics.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface SendLoopOptions extends AttemptHooks, PolledLoopDeps {
  db: Database;
  leases: Leases;
  sessions: Sessions;
  notifications: Notifications;
  messengers: MessengersCapabilities;
  gaps: Gaps;
  /** IANA zone of users who chose none; UTC unless given. */
  timeZone?: string | undefined;
  /** Called for each attempt with its outcome: sent, failed, retry or snooze. */
  onOutcome?: (kind: string, count: number) => void;
}

const NO_EARLIER_ATTEMPTS = { attempts: 0, uncertain: false };
const MAX_TURNS_IN_FLIGHT = 1_000;
/**
 * Above this many turns in flight, finished turns make room one by one: claims wait a moment to take several together.
 */
const GATHER_ABOVE = 600;
const GATHERING_MS = 20;
/** At most so many posts are in hand at once, of an account whose messenger has no gap. */
export const DELIVERIES_PER_TURN = 1_000;
/** Over all accounts: what is in hand is in memory. */
const MAX_DELIVERIES_IN_FLIGHT = 20_000;
const NO_LEASE_PAUSE_MS = 200;
const FULL_PAUSE_MS = 1_000;
const POLL_MS = 1_000;

export interface SendLoop {
  /** Takes no further turn, and resolves when what is in hand has been sent and written down. */
  stop(): Promise<void>;
}

/** What this worker has in hand, and how it takes more. */
interface SendLoopState extends SendLoopOptions {
  /** Each by its account and number. */
  inFlight: Map<string, Promise<void>>;
  /** Deliveries of the turns under way. */
  inHand: number;
  /** Deliveries of a turn to send of the last claim, on average: what the next turns are expected to hold. */
  usualTurn: number;
  /** When the last claim was made, by the process's monotonic clock. */
  claimedMs: number;
  /** Made so far. */
  claimCount: number;
  orphans: OrphanWatch;
  future: FutureLimit;
  revisions: RevisionWatch;
  sending: TurnSending;
  revising: TurnRevising;
  finisher: Finisher;
  writer: OutcomeWriter;
  paced: readonly string[];
  /** Looks for more to do at once. */
  wake(): void;
}

export function startSendLoop(options: SendLoopOptions): SendLoop {
  const { db } = options;
  const inFlight: SendLoopState['inFlight'] = new Map();
  const paced = pacedOf(options.gaps);
  const posts = loadPosts(db);
  const writer = createOutcomeWriter(options);
  const state: SendLoopState = {
    ...options,
    inFlight,
    inHand: 0,
    usualTurn: DELIVERIES_PER_TURN,
    claimedMs: -Infinity,
    claimCount: 0,
    orphans: watchOrphanedTurns({ ...options, knows: (turn) => inFlight.has(keyOf(turn)) }),
    future: watchFutureInstants(options),
    revisions: watchRevisions({ ...options, paced }),
    sending: { ...options, posts, timeZone: options.timeZone ?? 'UTC', trySuspect: createSuspectSender({ db }) },
    revising: { ...options, posts, timeZone: options.timeZone ?? 'UTC' },
    finisher: createFinisher({ db, inFlight: () => inFlight.size - writer.waiting(), writer }),
    writer,
    paced,
    wake: () => loop.wake(),
  };
  const loop = startPolledLoop(options, {
    name: 'lanes',
    isDue: () => sql<boolean>`(${hasTurns([...options.leases.held().keys()])} or ${hasRevisions()})`,
    pollMs: POLL_MS,
    step: (restMs) => step(state, restMs),
  });
  options.notifications.on('campanile_lanes', () => loop.wake());
  options.notifications.on('campanile_revisions', () => {
    state.revisions.pollNow();
    loop.wake();
  });
  return {
    async stop() {
      await loop.stop();
      writer.stop();
      await Promise.all(inFlight.values());
    },
  };
}

/** Begins due turns as far as there is room. Resolves to the milliseconds until the next step, `restMs` at most when nothing is due. */
async function step(state: SendLoopState, restMs: number): Promise<number> {
  const { db, leases } = state;
  const held = leases.held();
  const shards = [...held.keys()];
  if (shards.length === 0 || !leases.isGood()) return NO_LEASE_PAUSE_MS;
  await state.orphans.requeue(shards);
  const uncheckedMs = await state.future.limit({ shards });
  const room = roomOf(state);
  if (room <= 0) return FULL_PAUSE_MS;
  const gatherMs = gatheringMs(state);
  if (gatherMs > 0) return gatherMs;
  // Revisions first: they park the lane, which would otherwise go to its sends. An account with both alternates, so neither waits for
  // long.
  const revising = await state.revisions.claim(shards, room);
  for (const turn of revising.turns)
    begin(state, turn, turn.posts.length, () => runRevision(state, turn, () => leases.maySend(turn.accountId, held)));
  const options = claimOptions(state, shards, room - revising.turns.length);
  const { turns, ruled, skipped } = await claimIsolated(state, options);
  beginSends(state, turns, held);
  const timeZone = state.timeZone ?? 'UTC';
  if (ruled.length > 0) beginSends(state, await claimRuledIsolated(state, ruled, { ...options, timeZone }), held);
  // Fewer lanes than shards looked into: there are hardly any more.
  if (turns.length + ruled.length >= SHARDS_PER_CLAIM) return 0;
  return Math.min(uncheckedMs, revising.waitMs, await nextTurnMs(db, shards, { skipped, restMs }));
}

/** Returns the number of turns there is room for. Turns whose outcome is in quarantine take no room. */
function roomOf({ inFlight, inHand, usualTurn, writer }: SendLoopState): number {
  return Math.min(
    MAX_TURNS_IN_FLIGHT - (inFlight.size - writer.waiting()),
    Math.ceil((MAX_DELIVERIES_IN_FLIGHT - inHand) / usualTurn),
  );
}

/** Returns how long to wait, so that one claim takes several turns; 0 or less: not at all. */
function gatheringMs({ inFlight, claimedMs }: SendLoopState): number {
  return inFlight.size > GATHER_ABOVE ? claimedMs + GATHERING_MS - performance.now() : 0;
}

function claimOptions(state: SendLoopState, shards: number[], room: number) {
  const { leases, paced } = state;
  state.claimedMs = performance.now();
  return {
    workerId: leases.workerId(),
    shards: startAt(shards, state.claimCount++ * SHARDS_PER_CLAIM),
    lanes: room,
    batch: DELIVERIES_PER_TURN,
    paced,
  };
}

/**
 * Each claim begins where the last one ended: all shards come first in turn, and accounts that stand side by side in the tables are
 * served one soon after the other.
 */
function startAt(shards: readonly number[], offset: number): number[] {
  const first = offset % shards.length;
  return [...shards.slice(first), ...shards.slice(0, first)];
}

const keyOf = ({ accountId, turn }: InHand) => `${accountId}/${turn}`;

/** Runs a turn of `size` deliveries, and keeps it in flight until it has ended. */
function begin(state: SendLoopState, turn: InHand, size: number, run: () => Promise<void>): void {
  const key = keyOf(turn);
  state.inHand += size;
  const ended = run().finally(() => {
    state.inHand -= size;
    state.inFlight.delete(key);
    state.wake();
  });
  state.inFlight.set(key, ended);
}

/** `held` as it was when they were claimed. */
function beginSends(state: SendLoopState, turns: readonly Turn[], held: Held): void {
  const watch = createAttemptMetrics(state, turns);
  const claimed = turns.reduce((sum, turn) => sum + turn.deliveries.length, 0);
  if (turns.length > 0) state.usualTurn = claimed / turns.length;
  for (const turn of turns) {
    const mayGoOn = () => state.leases.maySend(turn.accountId, held);
    begin(state, turn, turn.deliveries.length, () => takeTurn(state, turn, { watch, mayGoOn }));
  }
}

async function takeTurn(
  state: SendLoopState,
  turn: Turn,
  { watch, mayGoOn }: { watch: AttemptMetrics; mayGoOn: () => boolean },
): Promise<void> {
  const { sending, finisher, onOutcome } = state;
  let begunMs = performance.now();
  const results = await sendTurn(sending, turn, { mayGoOn, onBegin: () => (begunMs = performance.now()) });
  await watch.record(turn, results, begunMs);
  const outcomes = results.map((result, index) =>
    classifyResult(result, turn.deliveries[index] ?? NO_EARLIER_ATTEMPTS),
  );
  for (const outcome of outcomes) onOutcome?.(outcome.kind, 1);
  // A gap lies between posts. After attempts that were none it would hide that an account waits for its connection, and not for its pace.
  const wasAttempted = outcomes.some(({ kind }) => kind !== 'snooze');
  await finisher.finish({ turn, outcomes, gapMs: wasAttempted ? nextGapMs(state, turn) : 0 });
}

async function runRevision(state: SendLoopState, turn: RevisionTurn, mayGoOn: () => boolean): Promise<void> {
  const { db, revising, writer } = state;
  const { outcomes, cooldownMs, wasAttempted } = await reviseTurn(revising, turn, mayGoOn);
  const gapMs = wasAttempted ? nextGapMs(state, turn) : 0;
  await writer.write([turn], {
    idOf: ({ accountId }) => accountId,
    gapsOf: ({ messenger }) => ({ [messenger]: gapMs }),
    run: () => finishRevision(db, turn, outcomes, { gapMs, cooldownMs }),
  });
}

function nextGapMs({ gaps, sessions }: SendLoopState, turn: Sender & { accountId: AccountId }): number {
  return randomGapMs(gaps, turn) * (sessions.isSlowed(turn.accountId) ? SLOWED_TIMES : 1);
}
