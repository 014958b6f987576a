import type { KnownPause, PauseCause, SessionState, OnStateChange } from '../../messenger.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import type { Warnings } from './warnings.ts';

export interface CooldownReason {
  cause: PauseCause;
  /** A sentence for the account's user. */
  reason: string;
  /** In milliseconds, if WhatsApp says how long. */
  forMs?: number | undefined;
  /** The connection has ended. The next connection reports its own state. */
  isOffline?: boolean;
}

/** The cool-down that WhatsApp asks an account for. It outlives connections, and processes by the state that it reports. */
export interface Cooldown {
  /** Why and for how much longer nothing may be sent; undefined if there is no cool-down. */
  now(): { cause: PauseCause; reason: string; leftMs: number } | undefined;
  /**
   * Begins a cool-down and returns its length in milliseconds: as long as WhatsApp says, else exponential backoff within a day. A
   * cool-down in progress is at most prolonged.
   */
  begin(why: CooldownReason): number;
  /** WhatsApp has lifted its restriction early. */
  lift(): void;
  /** Reports the state of the connection; during a cool-down, `paused` instead. */
  report: OnStateChange;
  /** Nothing more is reported. */
  stop(): void;
}

interface Current extends KnownPause {
  untilMs: number;
  /** WhatsApp has given its length. */
  isGiven: boolean;
  timer: NodeJS.Timeout;
}

const LONGEST_MS = 6 * 60 * 60_000;
/** If WhatsApp gives the length: a timer takes no more. */
const LONGEST_GIVEN_MS = 24 * 24 * 60 * 60_000;
/** Pauses further apart have nothing to do with each other. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;

/** `firstMs` is the length of the first cool-down; `known` is the last reported one, of any process. */
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
      // A cool-down that began with a rejected post is not lifted: the next post would be rejected again.
      if (current?.cause === 'restricted' && current.isGiven) end();
    },
    report(state) {
      if (state.status === 'connected' || state.status === 'reconnecting') {
        behind = current ? state : withoutNewLink(state);
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

/** A new link is reported once. */
function withoutNewLink(state: SessionState): SessionState {
  return state.status === 'connected' ? { ...state, newLink: undefined } : state;
}

function leftMs({ untilMs }: Current): number {
  return Math.max(1, Math.round(untilMs - performance.now()));
}

/** Doubles each time, with some jitter. */
function longer(firstMs: number, times: number): number {
  return Math.round(Math.min(firstMs * 2 ** (times - 1) * (0.75 + Math.random() / 2), LONGEST_MS));
}

/** Returns a function that asks WhatsApp whether the account is restricted, and for how long. The answer arrives as a restriction. */
export function createRestrictionQuery(online: () => Client | undefined, log: Log): () => void {
  return () => {
    online()
      ?.requestRestriction()
      .catch((error: unknown) => {
        log.debug({ err: error }, 'WhatsApp does not say how long an account is restricted');
      });
  };
}

/**
 * Wraps a cool-down: when the account turns out to be restricted, WhatsApp is asked for how long, and again after each login, because
 * the end of the restriction may have been missed.
 */
export function withServerCooldown(
  cooldown: Cooldown,
  warnings: Pick<Warnings, 'isActive'>,
  ask: () => void,
): Cooldown {
  return {
    ...cooldown,
    begin(why) {
      if (why.cause === 'restricted') ask();
      return cooldown.begin(why);
    },
    report(state) {
      cooldown.report(state);
      const isRestricted = cooldown.now()?.cause === 'restricted' || warnings.isActive();
      if (state.status === 'connected' && isRestricted) ask();
    },
  };
}
