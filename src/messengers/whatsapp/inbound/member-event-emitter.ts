/** Queues member events for the recorder, and reports when they are recorded. Unrecorded events come again from WhatsApp. */
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../../platform/log/log.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import type { MemberEvent, RecordEvents } from '../../messenger.ts';

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
