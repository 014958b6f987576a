import { useSyncExternalStore } from 'react';
import { unreachable } from '../../clients/typescript/failure.ts';

/** Together under 5 s: the longest time until a lost connection is shown. */
const PING_INTERVAL_MS = 2_000;
const PING_TIMEOUT_MS = 2_500;
/** Statuses of a proxy without a backend; `/health/live` never answers with them. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

let lastResponseAtMs = Date.now();
let disconnectedAtMs: number | undefined;
let pendingPing: Promise<boolean> | undefined;
let controller = new AbortController();
const listeners = new Set<() => void>();

/** Returns since when the service has not answered, in milliseconds of this machine's clock; undefined while connected. */
export function useDisconnectedSince(): number | undefined {
  return useSyncExternalStore(onConnectionChange, () => disconnectedAtMs);
}

export function isDisconnected(): boolean {
  return disconnectedAtMs !== undefined;
}

/** Calls `act` whenever the connection is lost or regained. Returns a function that unsubscribes. */
export function onConnectionChange(act: () => void): () => void {
  listeners.add(act);
  return () => listeners.delete(act);
}

/** Resolves once the service is reachable; at once if it is. */
export async function waitForConnection(): Promise<void> {
  while (isDisconnected())
    await new Promise<void>((resolve) => {
      const forget = onConnectionChange(() => {
        forget();
        resolve();
      });
    });
}

/** Returns the signal that aborts pending reads when the connection is lost. Each connection has its own. */
export function connectionSignal(): AbortSignal {
  return controller.signal;
}

/** Records any response of the service: it proves the connection as well as a ping. */
export function recordResponse({ status }: { status: number }): void {
  if (GATEWAY_ERRORS.has(status)) return;
  lastResponseAtMs = Date.now();
  if (disconnectedAtMs === undefined) return;
  disconnectedAtMs = undefined;
  controller = new AbortController();
  notifyListeners();
}

/** Pings the service. Resolves within 2.5 s to whether it answered. */
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
    // No response means disconnected.
  }
  // On a slow connection another request may have been answered meanwhile.
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

/** Monitors the connection while the page is visible. */
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
