import { createClient, type Answer, type CallOptions } from '../../clients/typescript/client.ts';
import { CampanileError, failureOf, unreachable } from '../../clients/typescript/failure.ts';
import { idempotencyOf } from '../../clients/typescript/operations.ts';
import { inReach, isLost, isThere, recordAnswer } from './connection.ts';
import { DASHBOARD_HEADER, takeAnswer } from './first-answer.ts';
import { OfflineError, Unanswered } from './not-done.ts';
import type { Body, Data, Path } from './operations.ts';
import { withProof } from './proof.ts';

const SLOW_MS = 60_000;
const KEY_BYTES = 18;
/** Of what may outlive the page a browser takes 64 KiB in all. */
const OUTLIVING_CHARACTERS = 20_000;
const onTheirWay = new WeakSet<AbortSignal>();
let onSignedOut = () => {};

async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), ...DASHBOARD_HEADER };
  const isSmall = typeof init.body === 'string' && init.body.length <= OUTLIVING_CHARACTERS;
  // A page that is out of sight may be gone in a moment.
  const keepalive = isSmall && document.visibilityState === 'hidden';
  try {
    const response = await (takeAnswer(String(input)) ?? fetch(input, { ...init, headers, keepalive }));
    recordAnswer(response);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) void isThere();
    throw error;
  }
}

/** The API as whoever is signed in. */
export const campanile = createClient({ url: '', tries: 3, longestWaitMs: 5_000, timeoutMs: SLOW_MS, fetch: send });

/** What is to be done when the service no longer knows who we are. */
export function whenSignedOut(act: () => void): void {
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
  return withProof(() => tryCall(path, body, options));
}

async function tryCall<P extends Path>(path: P, body: Body<P>, options: CallOptions): Promise<Answer<Data<P>>> {
  // The client lets bodies be left out, which a path that is not known yet cannot tell from those that may not.
  const ask = campanile.ask as (path: P, body: Body<P>, options: CallOptions) => Promise<Answer<Data<P>>>;
  const isChange = idempotencyOf(path) !== 'always' && !isQuestion(path, body);
  try {
    if (!isChange) return await ask(path, body, { ...options, signal: whileInReach(options.signal) });
    await requireConnection(options.signal);
    if (options.signal) onTheirWay.add(options.signal);
    return await ask(path, body, options);
  } catch (error) {
    endSessionOnUnauthorized(error);
    throw isChange ? asUnanswered(error) : error;
  } finally {
    if (options.signal) onTheirWay.delete(options.signal);
  }
}

/** Whether a change that this signal ends was sent and not answered yet: to end it now leaves open what became of it. */
export function isOnItsWay(signal: AbortSignal): boolean {
  return onTheirWay.has(signal);
}

/** Asked with nothing to change, the operation only tells. */
function isQuestion(path: Path, body: object): boolean {
  return path === 'venom/update-account' && Object.keys(body).length === 0;
}

function whileInReach(signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([signal, inReach()]) : inReach();
}

/** A browser that believes to be offline may still reach a service on the same machine, so it is asked. */
async function requireConnection(signal: AbortSignal | undefined): Promise<void> {
  if (!isLost() && navigator.onLine) return;
  const isReached = await isThere();
  signal?.throwIfAborted();
  if (!isReached) throw new OfflineError({ isOffline: !navigator.onLine });
}

function asUnanswered(error: unknown): unknown {
  const isSilence = error instanceof CampanileError && error.code === 0 && !(error instanceof OfflineError);
  return isSilence ? new Unanswered(error) : error;
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
  const waited = method === 'GET' ? whileInReach(signal) : signal;
  const timeout = AbortSignal.timeout(SLOW_MS);
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
