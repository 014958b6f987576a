import { useSyncExternalStore } from 'react';
import { unreachable } from '../../clients/typescript/failure.ts';

/** Together under 5 s: the longest time until a connection that fails is shown as lost. */
const PING_INTERVAL_MS = 2_000;
const PING_TIMEOUT_MS = 2_500;
/** A service or a network that is only slow answers within that, and loses no read. */
const SLOW_PING_TIMEOUT_MS = 10_000;
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

/** Pings the service. Resolves to whether it answered, within 12.5 s. */
export function checkConnection(): Promise<boolean> {
  pendingPing ??= ping().finally(() => (pendingPing = undefined));
  return pendingPing;
}

async function ping(): Promise<boolean> {
  const before = lastResponseAtMs;
  const first = await pingOnce(PING_TIMEOUT_MS);
  // Silence proves less than a failure: no read is lost for it until it lasts.
  const isUnproven = first === 'silent' && !isDisconnected();
  const isAnswered = (isUnproven ? await pingOnce(SLOW_PING_TIMEOUT_MS) : first) === 'answered';
  // On a slow connection another request may have been answered meanwhile.
  if (isAnswered || lastResponseAtMs !== before) return true;
  setDisconnected();
  return false;
}

async function pingOnce(timeoutMs: number): Promise<'answered' | 'failed' | 'silent'> {
  try {
    const response = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) });
    recordResponse(response);
    return GATEWAY_ERRORS.has(response.status) ? 'failed' : 'answered';
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 'silent' : 'failed';
  }
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

/** A browser with six connections lets a ping wait behind the files of a page: each file that has arrived proves the connection, too. */
function recordFiles(): void {
  new PerformanceObserver((list) => {
    for (const { name, responseStatus: status, transferSize } of list.getEntries() as PerformanceResourceTiming[])
      if (status > 0 && transferSize > 0 && name.startsWith(location.origin)) recordResponse({ status });
  }).observe({ type: 'resource' });
}

/** Monitors the connection while the page is visible. */
export function startConnectionMonitor(): void {
  recordFiles();
  const isSeen = () => document.visibilityState !== 'hidden';
  setInterval(() => {
    if (isSeen() && (isDisconnected() || Date.now() - lastResponseAtMs >= PING_INTERVAL_MS)) void checkConnection();
  }, PING_INTERVAL_MS);
  for (const event of ['online', 'offline']) addEventListener(event, () => void checkConnection());
  document.addEventListener('visibilitychange', () => {
    if (isSeen()) void checkConnection();
  });
}
