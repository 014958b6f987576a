import { useSyncExternalStore } from 'react';
import { unreachable } from '../../clients/typescript/failure.ts';

/** Together less than 5 s: so long after it was lost at most it is said. */
const ASK_EVERY_MS = 2_000;
const ANSWER_WITHIN_MS = 2_500;
/** What a proxy says when there is nobody behind it; `/health/live` says none of them. */
const NOBODY_BEHIND = new Set([502, 503, 504]);

let lastAnswerAtMs = Date.now();
let lostAt: number | undefined;
let asking: Promise<boolean> | undefined;
let reach = new AbortController();
const watchers = new Set<() => void>();

/** Since when nothing was heard of the service, in milliseconds of this machine's clock; undefined while it is in reach. */
export function useLostSince(): number | undefined {
  return useSyncExternalStore(watch, () => lostAt);
}

export function isLost(): boolean {
  return lostAt !== undefined;
}

/** Calls whenever the connection is lost or there again. */
export function watch(act: () => void): () => void {
  watchers.add(act);
  return () => watchers.delete(act);
}

/** Resolves once the service is in reach, at once where it is. */
export async function regained(): Promise<void> {
  while (isLost())
    await new Promise<void>((resolve) => {
      const forget = watch(() => {
        forget();
        resolve();
      });
    });
}

/** Aborted, as unreachable, once the connection is lost: what only reads waits for it no longer. Another one after that. */
export function inReach(): AbortSignal {
  return reach.signal;
}

/** To be told of every answer: it is as good as one to a question of ours. */
export function recordAnswer({ status }: { status: number }): void {
  if (NOBODY_BEHIND.has(status)) return;
  lastAnswerAtMs = Date.now();
  if (lostAt === undefined) return;
  lostAt = undefined;
  reach = new AbortController();
  notifyWatchers();
}

/** Asks the service whether it is there. Resolves to it within 2.5 s. */
export function isThere(): Promise<boolean> {
  asking ??= ask().finally(() => (asking = undefined));
  return asking;
}

async function ask(): Promise<boolean> {
  const before = lastAnswerAtMs;
  try {
    const response = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    recordAnswer(response);
    if (!NOBODY_BEHIND.has(response.status)) return true;
  } catch {
    // No answer is the answer.
  }
  // On a slow line another request may have been answered meanwhile.
  if (lastAnswerAtMs !== before) return true;
  reportOffline();
  return false;
}

function reportOffline(): void {
  if (lostAt !== undefined) return;
  lostAt = lastAnswerAtMs;
  reach.abort(unreachable(new Error('the connection is lost')));
  notifyWatchers();
}

function notifyWatchers(): void {
  for (const act of watchers) act();
}

/** Looks after the connection for as long as the page lives, and rests while nobody looks at it. */
export function startConnectionWatch(): void {
  const isSeen = () => document.visibilityState !== 'hidden';
  setInterval(() => {
    if (isSeen() && (isLost() || Date.now() - lastAnswerAtMs >= ASK_EVERY_MS)) void isThere();
  }, ASK_EVERY_MS);
  for (const event of ['online', 'offline']) addEventListener(event, () => void isThere());
  document.addEventListener('visibilitychange', () => {
    if (isSeen()) void isThere();
  });
}
