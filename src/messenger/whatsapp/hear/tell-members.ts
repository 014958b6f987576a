/** Hands what members do to whoever records it, and says when it is recorded: WhatsApp hears of that, and tells the rest again. */
import type { Log } from '../../../lib/log.ts';
import { startLoop } from '../../../lib/loop.ts';
import type { MemberEvent } from '../../messenger.ts';

/** Resolves when the events are recorded: true. False: they are not, and will not be. Never rejects. */
export type TellMembers = (events: MemberEvent[]) => Promise<boolean>;

export interface MemberTeller {
  tell: TellMembers;
  /** As `Messenger.watchMembers`. */
  watch(record: (events: MemberEvent[]) => Promise<void>): () => Promise<void>;
}

/** Kept while they cannot be recorded, as when the database is away. */
const MOST_KEPT = 50_000;
const MOST_IN_BATCH = 5_000;
const IDLE_MS = 60_000;
const WARN_EVERY_MS = 10_000;

interface Told {
  events: MemberEvent[];
  settle(isRecorded: boolean): void;
}

export function createMemberTeller({
  log,
  mostKept = MOST_KEPT,
  onLost,
  onLoopError,
}: {
  log: Log;
  mostKept?: number;
  /** Told how many events were not kept. */
  onLost?: ((count: number) => void) | undefined;
  onLoopError?: ((loop: string) => void) | undefined;
}): MemberTeller {
  let waiting: Told[] = [];
  let kept = 0;
  let wake: (() => void) | undefined;
  let lost = { count: 0, saidAtMs: -Infinity };

  function lose(count: number): void {
    onLost?.(count);
    lost.count += count;
    if (performance.now() - lost.saidAtMs < WARN_EVERY_MS) return;
    log.warn({ events: lost.count }, 'what members did cannot be recorded and is no longer kept');
    lost = { count: 0, saidAtMs: performance.now() };
  }

  /** From the front, whole calls of `tell`; a copy, for more may come while it is recorded. */
  function nextBatch(): Told[] {
    let events = 0;
    const end = waiting.findIndex((told) => (events += told.events.length) >= MOST_IN_BATCH);
    return waiting.slice(0, end === -1 ? undefined : end + 1);
  }

  return {
    tell(events) {
      if (!wake) return Promise.resolve(false);
      if (kept + events.length > mostKept) {
        lose(events.length);
        return Promise.resolve(false);
      }
      kept += events.length;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push({ events, settle: resolve });
      wake();
      return promise;
    },
    watch(record) {
      const loop = startLoop(
        'WhatsApp members',
        async () => {
          const batch = nextBatch();
          if (batch.length === 0) return IDLE_MS;
          const events = batch.flatMap((told) => told.events);
          await record(events);
          waiting = waiting.slice(batch.length);
          kept -= events.length;
          for (const told of batch) told.settle(true);
          return 0;
        },
        { log, ...(onLoopError && { onError: onLoopError }) },
      );
      wake = () => loop.wake();
      return async () => {
        wake = undefined;
        await loop.stop();
        for (const told of waiting) told.settle(false);
        waiting = [];
        kept = 0;
      };
    },
  };
}
