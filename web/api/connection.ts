import { useSyncExternalStore } from 'react';
import { unreachable } from '../../clients/typescript/failure.ts';

/** Together less than 5 s: so long after it was lost at most it is said. */
const PING_INTERVAL_MS = 2_000;
const PING_TIMEOUT_MS = 2_500;
/** What a proxy says when there is nobody behind it; `/health/live` says none of them. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

let lastResponseAtMs = Date.now();
let disconnectedAtMs: number | undefined;
let pendingPing: Promise<boolean> | undefined;
let controller = new AbortController();
const listeners = new Set<() => void>();

/** Since when nothing was heard of the service, in milliseconds of this machine's clock; undefined while it is in reach. */
export function useDisconnectedSince(): number | undefined {
  return useSyncExternalStore(onConnectionChange, () => disconnectedAtMs);
}

export function isDisconnected(): boolean {
  return disconnectedAtMs !== undefined;
}

/** Calls whenever the connection is lost or there again. */
export function onConnectionChange(act: () => void): () => void {
  listeners.add(act);
  return () => listeners.delete(act);
}

/** Resolves once the service is in reach, at once where it is. */
export async function waitForConnection(): Promise<void> {
  while (isDisconnected())
    await new Promise<void>((resolve) => {
      const forget = onConnectionChange(() => {
        forget();
        resolve();
      });
    });
}

/** Aborted, as unreachable, once the connection is lost: what only reads waits for it no longer. Another one after that. */
export function connectionSignal(): AbortSignal {
  return controller.signal;
}

/** To be told of every answer: it is as good as one to a question of ours. */
export function recordResponse({ status }: { status: number }): void {
  if (GATEWAY_ERRORS.has(status)) return;
  lastResponseAtMs = Date.now();
  if (disconnectedAtMs === undefined) return;
  disconnectedAtMs = undefined;
  controller = new AbortController();
  notifyListeners();
}

/** Asks the service whether it is there. Resolves to it within 2.5 s. */
export function checkConnection(): Promise<boolean> {
  pendingPing ??= ping().finally(() => (pendingPing = undefined));
  return pendingPing;
}

async function ping(): Promise<boolean> {
  const before = lastResponseAtMs;
  try {
    const response = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
    recordResponse(response);
    if (!GATEWAY_ERRORS.has(response.status)) return true;
  } catch {
    // No answer is the answer.
  }
  // On a slow line another request may have been answered meanwhile.
  if (lastResponseAtMs !== before) return true;
  setDisconnected();
  return false;
}

function setDisconnected(): void {
  if (disconnectedAtMs !== undefined) return;
  disconnectedAtMs = lastResponseAtMs;
  controller.abort(unreachable(new Error('the connection is lost')));
  notifyListeners();
}

function notifyListeners(): void {
  for (const act of listeners) act();
}

/** Looks after the connection for as long as the page lives, and rests while nobody looks at it. */
export function startConnectionMonitor(): void {
  const isSeen = () => document.visibilityState !== 'hidden';
  setInterval(() => {
    if (isSeen() && (isDisconnected() || Date.now() - lastResponseAtMs >= PING_INTERVAL_MS)) void checkConnection();
  }, PING_INTERVAL_MS);
  for (const event of ['online', 'offline']) addEventListener(event, () => void checkConnection());
  document.addEventListener('visibilitychange', () => {
    if (isSeen()) void checkConnection();
  });
}
