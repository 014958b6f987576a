import type { OnLoopError } from './failure-streak.ts';
import { failureLevel, type Log } from '../log/log.ts';
import { startLoop, type Loop } from './loop.ts';

/** After so long a permit is given back although its work goes on. */
const HOLD_MS = 2_000;

export interface Concurrently<Due, Key> {
  /** Of the loop. */
  name: string;
  /** So much is begun at a time. */
  permits: number;
  /** How long the loop sleeps when nothing is due. */
  pollMs: number;
  /** Claims the next due items, usually one, and none of a `busy` key. Returns an empty array when nothing is due. */
  claim(busy: readonly Key[]): Promise<readonly Due[]>;
  /** The key of an item: one item per key is served at a time. Undefined: no such limit. */
  keyOf(due: Due): Key | undefined;
  /** Serves one item. A rejection is logged, and counted as an error of the loop. */
  serve(due: Due): Promise<void>;
  /** Default is `HOLD_MS`. */
  holdMs?: number;
  log: Log;
  onLoopError?: OnLoopError | undefined;
}

/**
 * Serves due items: one at a time per key, different keys concurrently. Slow work does not block others: it gives its permit back after 2
 * s and continues without one, and its key has no other work meanwhile. `stop` resolves when all work has ended.
 */
export function serveConcurrently<Due, Key>(work: Concurrently<Due, Key>): Loop {
  const { name, permits, pollMs, claim, keyOf, serve, holdMs = HOLD_MS, log, onLoopError } = work;
  const busy = new Set<Key>();
  const underWay = new Set<Promise<void>>();
  let isStopping = false;
  let held = 0;

  const mayBegin = () => held < permits && !isStopping;

  function holdPermit(): () => void {
    held += 1;
    let isHeld = true;
    return () => {
      if (isHeld) held -= 1;
      isHeld = false;
      loop.wake();
    };
  }

  async function run(due: Due): Promise<void> {
    const key = keyOf(due);
    if (key !== undefined) busy.add(key);
    const release = holdPermit();
    const timer = setTimeout(release, holdMs);
    try {
      await serve(due);
    } catch (error) {
      onLoopError?.(name);
      log[failureLevel(error)]({ err: error, loop: name }, 'something that was due failed, and is due again later');
    }
    clearTimeout(timer);
    if (key !== undefined) busy.delete(key);
    release();
  }

  function begin(due: Due): void {
    const running = run(due).finally(() => underWay.delete(running));
    underWay.add(running);
  }

  async function step(): Promise<number> {
    while (mayBegin()) {
      const due = await claim([...busy]);
      if (due.length === 0) break;
      due.forEach(begin);
    }
    return pollMs;
  }

  const loop = startLoop(name, step, { log, onLoopError });
  return {
    wake: loop.wake,
    async stop() {
      isStopping = true;
      await loop.stop();
      await Promise.all(underWay);
    },
  };
}
