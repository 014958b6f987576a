import { createClient, type Answer, type CallOptions } from '../../client/client.ts';
import { CampanileError, failureOf, unreachable } from '../../client/failure.ts';
import type { Body, Data, Path } from './operations.ts';

/** Without this header the service does not look at the session's cookie: a page of another origin cannot send it. */
const DASHBOARD_HEADER = { 'x-campanile-dashboard': '1' };
const SLOW_MS = 60_000;
const KEY_BYTES = 18;
let onSignedOut = () => {};

function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  return fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), ...DASHBOARD_HEADER } });
}

/** The API as whoever is signed in. */
export const campanile = createClient({ url: '', tries: 3, longestWaitMs: 5_000, timeoutMs: SLOW_MS, fetch: send });

/** What is to be done when the service no longer knows who we are. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** Calls one operation of the API as whoever is signed in. Rejects with a CampanileError. */
export async function call<P extends Path>(path: P, body: Body<P>, options: CallOptions = {}): Promise<Data<P>> {
  return (await callWithHeaders(path, body, options)).data;
}

/** The same for whoever needs what the answer's headers say. */
export async function callWithHeaders<P extends Path>(
  path: P,
  body: Body<P>,
  options: CallOptions = {},
): Promise<Answer<Data<P>>> {
  // The client lets bodies be left out, which a path that is not known yet cannot tell from those that may not.
  const ask = campanile.ask as (path: P, body: Body<P>, options: CallOptions) => Promise<Answer<Data<P>>>;
  try {
    return await ask(path, body, options);
  } catch (error) {
    noteSignedOut(error);
    throw error;
  }
}

/** To be shown whatever a request failed with: a 401 ends the session. */
export function noteSignedOut(error: unknown): void {
  if (error instanceof CampanileError && error.code === 401) onSignedOut();
}

/** What is no operation of the API: the session itself. Rejects with a CampanileError. */
export async function request<Result>(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
): Promise<Result> {
  const timeout = AbortSignal.timeout(SLOW_MS);
  const hasBody = body !== undefined;
  let response: Response;
  try {
    response = await send(url, {
      method,
      ...(hasBody && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
  if (!response.ok) throw await failureOf(response);
  return ((await response.json()) as { data: Result }).data;
}

/** A key of which there is no second. Not `crypto.randomUUID`, which pages that came over plain HTTP have not got. */
export function drawKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
