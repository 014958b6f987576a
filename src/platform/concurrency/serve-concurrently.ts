import { failureLevel } from '../log/log.ts';
import { startLoop, type Loop, type LoopDeps } from './loop.ts';

/** After so long a permit is given back although its work goes on. */
const HOLD_MS = 2_000;

export interface Concurrently<Due, Key> extends LoopDeps {
  /** Of the loop. */
  name: string;
  /** So much is begun at a time. */
  permits: number;
  /** How long the loop sleeps when nothing is due. */
  pollMs: number;
  /**
   * Claims the next due items, `room` at most, as far as the limit of each key allows. `busy` has the key of each item that is served now.
   * Returns an empty array when nothing is due.
   */
  claim(busy: readonly Key[], room: number): Promise<readonly Due[]>;
  /** The key of an item. Undefined: no limit but the permits. */
  keyOf(due: Due): Key | undefined;
  /** Serves one item. A rejection is logged, and counted as an error of the loop. */
  serve(due: Due): Promise<void>;
  /** Default is `HOLD_MS`. Infinity: until the item is served. */
  holdMs?: number;
  /** Default is false. If this is true, the key of slow work is no longer busy once its permit is given back. */
  freesKeys?: boolean;
}

/**
 * Serves due items concurrently. Slow work does not block others: it gives its permit back after 2 s and continues without one, and its key
 * stays busy unless `freesKeys`. `stop` resolves when all work has ended.
 */
export function serveConcurrently<Due, Key>(work: Concurrently<Due, Key>): Loop {
  const { name, permits, pollMs, claim, keyOf, serve, holdMs = HOLD_MS, freesKeys = false, log, onLoopError } = work;
  const busy: Key[] = [];
  const underWay = new Set<Promise<void>>();
  let isStopping = false;
  let held = 0;

  const mayBegin = () => held < permits && !isStopping;

  /** Returns a function that gives something back, once however often it is called. */
  function once(giveBack: () => void): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack();
      isHeld = false;
      loop.wake();
    };
  }

  async function run(due: Due): Promise<void> {
    const key = keyOf(due);
    held += 1;
    if (key !== undefined) busy.push(key);
    const release = once(() => (held -= 1));
    const freeKey = once(() => key !== undefined && busy.splice(busy.indexOf(key), 1));
    const giveUp = () => {
      release();
      if (freesKeys) freeKey();
    };
    const timer = Number.isFinite(holdMs) ? setTimeout(giveUp, holdMs) : undefined;
    try {
      await serve(due);
    } catch (error) {
      onLoopError?.(name);
      log[failureLevel(error)]({ err: error, loop: name }, 'something that was due failed, and is due again later');
    }
    clearTimeout(timer);
    freeKey();
    release();
  }

  function begin(due: Due): void {
    const running = run(due).finally(() => underWay.delete(running));
    underWay.add(running);
  }

  async function step(): Promise<number> {
    while (mayBegin()) {
      const due = await claim([...busy], permits - held);
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
