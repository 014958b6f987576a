/** Queues member events for the recorder, and reports when they are recorded. Unrecorded events come again from WhatsApp. */
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../../platform/log/log.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import type { MemberEvent, RecordEvents } from '../../messenger.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { LidMapping } from '../client/client.ts';
import { samePerson } from './participants.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** Resolves to true when these and all earlier events are recorded, and to false when they will not be. Never rejects. */
export type EmitMemberEvents = (events: MemberEvent[]) => Promise<boolean>;

export type MemberEventEmitter = ReturnType<typeof createMemberEventEmitter>;

/** Backpressure: events in memory while they cannot be recorded, for instance when the database is down. */
const MAX_QUEUED = 50_000;
const MAX_BATCH = 5_000;
const IDLE_MS = 60_000;
const WARN_EVERY_MS = 10_000;

interface QueuedEvents {
  events: MemberEvent[];
  settle(isRecorded: boolean): void;
}

interface MemberEventEmitterOptions {
  log: Log;
  /** Default is 50,000. */
  maxQueued?: number;
  /** Called with the number of dropped events. */
  onLost?: ((count: number) => void) | undefined;
  onLoopError?: OnLoopError | undefined;
}

export function createMemberEventEmitter(options: MemberEventEmitterOptions) {
  const { log, maxQueued = MAX_QUEUED, onLoopError } = options;
  const lose = countLost(options);
  let waiting: QueuedEvents[] = [];
  let queued = 0;
  let wake: (() => void) | undefined;

  /** Whole calls of `emit`, from the front. A copy, since the queue may grow while it is recorded. */
  function nextBatch(): QueuedEvents[] {
    let events = 0;
    const end = waiting.findIndex((queuedEvents) => (events += queuedEvents.events.length) >= MAX_BATCH);
    return waiting.slice(0, end === -1 ? undefined : end + 1);
  }

  async function recordNext(record: RecordEvents): Promise<number> {
    const batch = nextBatch();
    if (batch.length === 0) return IDLE_MS;
    const events = batch.flatMap((queuedEvents) => queuedEvents.events);
    const unrecorded = (events.length > 0 && (await record(events))) || new Set<number>();
    waiting = waiting.slice(batch.length);
    queued -= events.length;
    for (const queuedEvents of batch)
      queuedEvents.settle(!queuedEvents.events.some(({ accountId }) => unrecorded.has(accountId)));
    return 0;
  }

  return {
    emit(events: MemberEvent[]): Promise<boolean> {
      if (!wake) return Promise.resolve(false);
      if (queued + events.length > maxQueued) {
        lose(events.length);
        return Promise.resolve(false);
      }
      queued += events.length;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push({ events, settle: resolve });
      wake();
      return promise;
    },
    /** As `Messenger.watchMembers`. */
    watch(record: RecordEvents) {
      const step = () => recordNext(record);
      const loop = startLoop('WhatsApp members', step, { log, onLoopError });
      wake = () => loop.wake();
      return async () => {
        wake = undefined;
        await loop.stop();
        for (const queuedEvents of waiting) queuedEvents.settle(false);
        waiting = [];
        queued = 0;
      };
    },
  };
}

/** Counts dropped events, and logs a warning at most every ten seconds. */
function countLost({ log, onLost }: MemberEventEmitterOptions): (count: number) => void {
  let unlogged = 0;
  let loggedAtMs = -Infinity;
  return (count) => {
    onLost?.(count);
    unlogged += count;
    if (performance.now() - loggedAtMs < WARN_EVERY_MS) return;
    log.warn({ events: unlogged }, 'what members did cannot be recorded and is no longer kept');
    unlogged = 0;
    loggedAtMs = performance.now();
  };
}

/** A send waits for the key store, so a database that is down must not hold it up for longer. */
const MAX_WAIT_MS = 5_000;

/**
 * Reports that LIDs and phone numbers belong to the same people, and waits until that is recorded. To be called before a new pair is
 * stored: a stored pair is not reported again, and what was counted for the number would stay counted.
 */
export async function emitLidMappings(
  emit: EmitMemberEvents,
  accountId: AccountId,
  pairs: readonly LidMapping[],
): Promise<void> {
  if (pairs.length === 0) return;
  const timeout = new AbortController();
  const recorded = emit(pairs.map(({ lid, number }) => samePerson(accountId, lid, number)));
  await Promise.race([recorded, sleep(MAX_WAIT_MS, timeout.signal)]);
  timeout.abort();
}
