import type { KnownPause, PauseCause, SessionState, OnStateChange } from '../../messenger.ts';

/** Why an account is to rest. */
export interface CooldownReason {
  cause: PauseCause;
  /** One sentence for its user. */
  reason: string;
  /** How long, in milliseconds, where WhatsApp says so. */
  forMs?: number | undefined;
  /** The connection is gone for as long: how it then stands is told by whoever makes it again. */
  isOffline?: boolean;
}

/** The rest that WhatsApp asks an account for. It outlives connections, and processes too, by what is told of it. */
export interface Cooldown {
  /** Why nothing may be sent, and for how many milliseconds more; undefined: something may. */
  now(): { cause: PauseCause; reason: string; leftMs: number } | undefined;
  /**
   * Begins, and answers for how long, in milliseconds: longer each time that it follows another within a day, unless WhatsApp says
   * how long. While the account rests, that is at most prolonged.
   */
  begin(why: CooldownReason): number;
  /** WhatsApp has lifted its restriction before the end that it had given. */
  lift(): void;
  /** Tells how the connection stands; while the account rests, that it does. */
  report: OnStateChange;
  /** Nothing more is told. */
  stop(): void;
}

interface Current extends KnownPause {
  untilMs: number;
  /** WhatsApp has said how long. */
  isGiven: boolean;
  timer: NodeJS.Timeout;
}

const LONGEST_MS = 6 * 60 * 60_000;
/** Of what WhatsApp itself says: a timer takes no more. */
const LONGEST_GIVEN_MS = 24 * 24 * 60 * 60_000;
/** Pauses further apart have nothing to do with each other. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;

/** `firstMs`: how long the first rest is. `known`: what was told of the account before, by whichever process. */
export function createCooldown(emit: OnStateChange, firstMs: number, known: KnownPause | undefined): Cooldown {
  let current: Current | undefined;
  let times = known?.times ?? 0;
  let lastBeganMs = performance.now();
  let behind: SessionState | undefined;
  if (known && known.leftMs > 0) start(known, known.leftMs, true);

  function start(why: CooldownReason, ms: number, isGiven: boolean): number {
    clearTimeout(current?.timer);
    const { cause, reason } = why;
    const untilMs = performance.now() + ms;
    current = { cause, reason, leftMs: ms, times, untilMs, isGiven, timer: setTimeout(end, ms) };
    return ms;
  }

  function end(): void {
    clearTimeout(current?.timer);
    current = undefined;
    if (behind) emit(behind);
  }

  function emitCooldown(): void {
    if (!current) return;
    const { cause, reason } = current;
    emit({ status: 'paused', cause, reason, times, cooldownMs: leftMs(current) });
  }

  return {
    now: () => current && { cause: current.cause, reason: current.reason, leftMs: leftMs(current) },
    begin(why) {
      const givenMs = why.forMs === undefined ? undefined : Math.min(Math.max(why.forMs, firstMs), LONGEST_GIVEN_MS);
      if (why.isOffline) behind = undefined;
      if (current && givenMs === undefined) return leftMs(current);
      if (current && givenMs !== undefined) {
        const isSame = current.cause === why.cause;
        if (!isSame && givenMs <= leftMs(current)) return leftMs(current);
      } else {
        if (performance.now() - lastBeganMs > FORGOTTEN_AFTER_MS) times = 0;
        times = Math.min(times + 1, 1_000);
      }
      lastBeganMs = performance.now();
      const ms = start(why, givenMs ?? longer(firstMs, times), givenMs !== undefined);
      emitCooldown();
      return ms;
    },
    lift() {
      // Of a rest that began with a refused post there is no such word, and it would be refused again.
      if (current?.cause === 'restricted' && current.isGiven) end();
    },
    report(state) {
      if (state.status === 'connected' || state.status === 'reconnecting') {
        behind = state;
        if (current) emitCooldown();
        else emit(state);
        return;
      }
      clearTimeout(current?.timer);
      current = undefined;
      behind = undefined;
      emit(state);
    },
    stop() {
      clearTimeout(current?.timer);
      current = undefined;
      behind = undefined;
    },
  };
}

function leftMs({ untilMs }: Current): number {
  return Math.max(1, Math.round(untilMs - performance.now()));
}

/** Doubles each time, with some jitter. */
function longer(firstMs: number, times: number): number {
  return Math.round(Math.min(firstMs * 2 ** (times - 1) * (0.75 + Math.random() / 2), LONGEST_MS));
}
