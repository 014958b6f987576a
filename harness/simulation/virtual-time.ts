/**
 * The clock of a simulated world. Import it before any production code: it replaces timers, `Date`, `performance.now` and `Math.random` of
 * this process, so that nothing here depends on real time or real randomness.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { seededRandom } from '../../test/support/inputs/random.ts';

/** A process of the simulated world: it ends, freezes and starts again without the real one noticing. */
export interface VirtualProcess {
  readonly name: string;
  isDead: boolean;
  /** Nothing reaches it before this instant; what came meanwhile does then. */
  frozenUntilMs: number;
  /** How far its wall clock is ahead of the world's; 0 unless given. */
  skewMs?: number;
}

export const openProcess = (name: string): VirtualProcess => ({ name, isDead: false, frozenUntilMs: 0 });

interface Due {
  atMs: number;
  order: number;
  /** undefined: the simulator's own. */
  process: VirtualProcess | undefined;
  run: () => void;
}

/** What runs now belongs to this process. */
export const current = new AsyncLocalStorage<VirtualProcess | undefined>();

const real = {
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  now: performance.now.bind(performance),
};

/** What the simulator itself needs of the real world. */
export const realNowMs = real.now;
export const realSleep = (ms: number) => new Promise<void>((resolve) => void real.setTimeout(resolve, ms));
/** Resolves when nothing can go on by itself any more: all promises that could be settled are. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise<void>((resolve) => void real.setImmediate(resolve));
}

/** One clock for the whole process: production code finds its globals replaced, whichever world is on. */
export const time = createTime();

function createTime() {
  let nowMs = 0;
  let startMs = 0;
  let order = 0;
  let random: () => number = seededRandom(0);
  let dues: Due[] = [];

  function at(atMs: number, run: () => void, process: VirtualProcess | undefined = undefined): Due {
    const due = { atMs, order: order++, process, run };
    const place = dues.findLastIndex((other) => other.atMs <= atMs) + 1;
    dues.splice(place, 0, due);
    return due;
  }

  return {
    nowMs: () => nowMs,
    sinceStartMs: () => nowMs - startMs,
    random: () => random(),
    /** Begins a world: forgets every timer of the last one. */
    reset(instantMs: number, seed: number) {
      nowMs = startMs = instantMs;
      order = 0;
      dues = [];
      random = seededRandom(seed);
    },
    at,
    cancel(due: Due) {
      const place = dues.indexOf(due);
      if (place >= 0) dues.splice(place, 1);
    },
    /** Those whose time has come, in their order. */
    due: () => dues.slice(0, dues.findLastIndex((one) => one.atMs <= nowMs) + 1),
    nextMs: () => dues[0]?.atMs,
    /** Never back. */
    advanceTo(instantMs: number) {
      nowMs = Math.max(nowMs, instantMs);
    },
    /** As on a suspended machine: the wall clock goes on, and timers and the monotonic clock stand still. */
    suspend(forMs: number) {
      nowMs += forMs;
      startMs += forMs;
      for (const due of dues) due.atMs += forMs;
    },
    /** Runs a callback in its process: never when the process is dead, later when it is frozen. */
    deliver(process: VirtualProcess | undefined, run: () => void): void {
      if (process?.isDead || process?.frozenUntilMs === Infinity) return;
      if (process && process.frozenUntilMs > nowMs) at(process.frozenUntilMs, run, process);
      else current.run(process, run);
    },
    fire(due: Due) {
      this.cancel(due);
      this.deliver(due.process, due.run);
    },
  };
}

/** It stands still for so long; Infinity: for good. */
export function freeze(process: VirtualProcess, forMs: number): void {
  process.frozenUntilMs = time.nowMs() + forMs;
  // So that time goes on when there is nobody else.
  if (forMs < Infinity) time.at(process.frozenUntilMs, () => undefined);
}

/** What `setTimeout` returns: as much of Node's as anybody here uses. */
interface VirtualTimer {
  due: Due | undefined;
  ref(): VirtualTimer;
  unref(): VirtualTimer;
  hasRef(): boolean;
}

type Callback = (...args: unknown[]) => void;

function startTimer(callback: Callback, ms: number, args: unknown[], again: boolean): VirtualTimer {
  const process = current.getStore();
  const timer: VirtualTimer = { due: undefined, ref: () => timer, unref: () => timer, hasRef: () => true };
  const set = () => {
    timer.due = time.at(time.nowMs() + Math.max(0, ms || 0), run, process);
  };
  const run = () => {
    timer.due = undefined;
    if (again) set();
    callback(...args);
  };
  set();
  return timer;
}

function stopTimer(timer: VirtualTimer | undefined): void {
  if (timer?.due) time.cancel(timer.due);
}

const RealDate = Date;
class VirtualDate extends RealDate {
  constructor(...parts: [] | ConstructorParameters<typeof RealDate>) {
    if (parts.length === 0) super(VirtualDate.now());
    else super(...(parts as ConstructorParameters<typeof RealDate>));
  }
  static override now(): number {
    return Math.floor(time.nowMs() + (current.getStore()?.skewMs ?? 0));
  }
}

Object.assign(globalThis, {
  setTimeout: (callback: Callback, ms: number, ...args: unknown[]) => startTimer(callback, ms, args, false),
  setInterval: (callback: Callback, ms: number, ...args: unknown[]) => startTimer(callback, ms, args, true),
  setImmediate: (callback: Callback, ...args: unknown[]) => startTimer(callback, 0, args, false),
  clearTimeout: stopTimer,
  clearInterval: stopTimer,
  clearImmediate: stopTimer,
  Date: VirtualDate,
});
performance.now = () => time.sinceStartMs();
Math.random = () => time.random();
