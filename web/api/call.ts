import { createClient, type Answer, type CallOptions } from '../../clients/typescript/client.ts';
import { CampanileError, failureOf, unreachable } from '../../clients/typescript/failure.ts';
import { repeatable } from '../../clients/typescript/operations.ts';
import { connectionSignal, isDisconnected, checkConnection, recordResponse } from './connection.ts';
import { DASHBOARD_HEADER, takePrefetched } from './prefetch.ts';
import { OfflineError, UnansweredError } from './connection-errors.ts';
import type { Body, Data, Path } from './operations.ts';
import { withReauthentication } from './reauthentication.ts';

const TIMEOUT_MS = 60_000;
const KEY_BYTES = 18;
/** Of what may outlive the page a browser takes 64 KiB in all. */
const KEEPALIVE_MAX_CHARACTERS = 20_000;
const inFlight = new WeakSet<AbortSignal>();
let onSignedOut = () => {};

async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), ...DASHBOARD_HEADER };
  const isSmall = typeof init.body === 'string' && init.body.length <= KEEPALIVE_MAX_CHARACTERS;
  // A page that is out of sight may be gone in a moment.
  const keepalive = isSmall && document.visibilityState === 'hidden';
  try {
    const response = await (takePrefetched(String(input)) ?? fetch(input, { ...init, headers, keepalive }));
    recordResponse(response);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) void checkConnection();
    throw error;
  }
}

/** The API as whoever is signed in. */
export const campanile = createClient({ url: '', tries: 3, longestWaitMs: 5_000, timeoutMs: TIMEOUT_MS, fetch: send });

/** What is to be done when the service no longer knows who we are. */
export function setSignedOutHandler(act: () => void): void {
  onSignedOut = act;
}

/**
 * Calls one operation of the API as whoever is signed in. Rejects with a CampanileError. What changes something is tried now or fails
 * now, with OfflineError; what only reads fails as soon as the connection is known to be lost.
 */
export async function call<P extends Path>(path: P, body: Body<P>, options: CallOptions = {}): Promise<Data<P>> {
  return (await callWithHeaders(path, body, options)).data;
}

/** The same for whoever needs what the answer's headers say. */
export async function callWithHeaders<P extends Path>(
  path: P,
  body: Body<P>,
  options: CallOptions = {},
): Promise<Answer<Data<P>>> {
  return withReauthentication(() => tryCall(path, body, options));
}

async function tryCall<P extends Path>(path: P, body: Body<P>, options: CallOptions): Promise<Answer<Data<P>>> {
  // The client lets bodies be left out, which a path that is not known yet cannot tell from those that may not.
  const ask = campanile.ask as (path: P, body: Body<P>, options: CallOptions) => Promise<Answer<Data<P>>>;
  const isChange = repeatable(path) !== 'always' && !isReadOnlyCall(path, body);
  try {
    if (!isChange) return await ask(path, body, { ...options, signal: withConnectionSignal(options.signal) });
    await requireConnection(options.signal);
    if (options.signal) inFlight.add(options.signal);
    return await ask(path, body, options);
  } catch (error) {
    endSessionOnUnauthorized(error);
    throw isChange ? toUnansweredError(error) : error;
  } finally {
    if (options.signal) inFlight.delete(options.signal);
  }
}

/** Whether a change that this signal ends was sent and not answered yet: to end it now leaves open what became of it. */
export function isInFlight(signal: AbortSignal): boolean {
  return inFlight.has(signal);
}

/** Asked with nothing to change, the operation only tells. */
function isReadOnlyCall(path: Path, body: object): boolean {
  return path === 'venom/update-account' && Object.keys(body).length === 0;
}

function withConnectionSignal(signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([signal, connectionSignal()]) : connectionSignal();
}

/** A browser that believes to be offline may still reach a service on the same machine, so it is asked. */
async function requireConnection(signal: AbortSignal | undefined): Promise<void> {
  if (!isDisconnected() && navigator.onLine) return;
  const isReached = await checkConnection();
  signal?.throwIfAborted();
  if (!isReached) throw new OfflineError({ isOffline: !navigator.onLine });
}

function toUnansweredError(error: unknown): unknown {
  const isSilence = error instanceof CampanileError && error.code === 0 && !(error instanceof OfflineError);
  return isSilence ? new UnansweredError(error) : error;
}

/** To be shown whatever a request failed with: a 401 ends the session. */
export function endSessionOnUnauthorized(error: unknown): void {
  if (error instanceof CampanileError && error.code === 401) onSignedOut();
}

/** What is no operation of the API: the session itself. Rejects with a CampanileError. */
export async function request<Result>(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<Result> {
  if (method !== 'GET') await requireConnection(signal);
  const waited = method === 'GET' ? withConnectionSignal(signal) : signal;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const hasBody = body !== undefined;
  let response: Response;
  try {
    response = await send(url, {
      method,
      ...(hasBody && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: waited ? AbortSignal.any([waited, timeout]) : timeout,
    });
  } catch (error) {
    waited?.throwIfAborted();
    throw unreachable(error);
  }
  if (!response.ok) throw await failureOf(response);
  return ((await response.json()) as { data: Result }).data;
}

/** A key of which there is no second. Not `crypto.randomUUID`, which pages that came over plain HTTP have not got. */
export function generateIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
