/** Hands what members do to whoever records it, and says when it is recorded: WhatsApp hears of that, and tells the rest again. */
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../../platform/log/log.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import type { MemberEvent, RecordEvents } from '../../messenger.ts';

/**
 * Resolves when the events are recorded, and all that were told before: true. False: they are not, and will not be. Never rejects.
 */
export type EmitMemberEvents = (events: MemberEvent[]) => Promise<boolean>;

export interface MemberEventEmitter {
  emit: EmitMemberEvents;
  /** As `Messenger.watchMembers`. */
  watch(record: RecordEvents): () => Promise<void>;
}

/** Kept while they cannot be recorded, as when the database is away. */
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
  /** Told how many events were not kept. */
  onLost?: ((count: number) => void) | undefined;
  onLoopError?: OnLoopError | undefined;
}

export function createMemberEventEmitter(options: MemberEventEmitterOptions): MemberEventEmitter {
  const { log, maxQueued = MAX_QUEUED, onLoopError } = options;
  const lose = countLost(options);
  let waiting: QueuedEvents[] = [];
  let queued = 0;
  let wake: (() => void) | undefined;

  /** From the front, whole calls of `emit`; a copy, for more may come while it is recorded. */
  function nextBatch(): QueuedEvents[] {
    let events = 0;
    const end = waiting.findIndex((told) => (events += told.events.length) >= MAX_BATCH);
    return waiting.slice(0, end === -1 ? undefined : end + 1);
  }

  async function recordNext(record: RecordEvents): Promise<number> {
    const batch = nextBatch();
    if (batch.length === 0) return IDLE_MS;
    const events = batch.flatMap((told) => told.events);
    const unrecorded = (events.length > 0 && (await record(events))) || new Set<number>();
    waiting = waiting.slice(batch.length);
    queued -= events.length;
    for (const told of batch) told.settle(!told.events.some(({ accountId }) => unrecorded.has(accountId)));
    return 0;
  }

  return {
    emit(events) {
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
    watch(record) {
      const step = () => recordNext(record);
      const loop = startLoop('WhatsApp members', step, { log, ...(onLoopError && { onError: onLoopError }) });
      wake = () => loop.wake();
      return async () => {
        wake = undefined;
        await loop.stop();
        for (const told of waiting) told.settle(false);
        waiting = [];
        queued = 0;
      };
    },
  };
}

/** Tells and warns of what is lost; the log not more often than every ten seconds. */
function countLost({ log, onLost }: MemberEventEmitterOptions): (count: number) => void {
  let unsaid = 0;
  let saidAtMs = -Infinity;
  return (count) => {
    onLost?.(count);
    unsaid += count;
    if (performance.now() - saidAtMs < WARN_EVERY_MS) return;
    log.warn({ events: unsaid }, 'what members did cannot be recorded and is no longer kept');
    unsaid = 0;
    saidAtMs = performance.now();
  };
}
