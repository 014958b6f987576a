import { createClient, type Answer, type CallOptions } from '../../clients/typescript/client.ts';
import { CampanileError, failureOf, unreachable } from '../../clients/typescript/failure.ts';
import { idempotencyOf } from '../../clients/typescript/operations.ts';
import { chosenWorkspace, openWorkspace } from './chosen-workspace.ts';
import { connectionSignal, isDisconnected, checkConnection, recordResponse } from './connection.ts';
import { DASHBOARD_HEADER, takePrefetched } from './prefetch.ts';
import { OfflineError, UnansweredError } from './connection-errors.ts';
import type { Body, Data, Path } from './operations.ts';
import { browserLocale } from '../format/locale.ts';
import { language } from '../i18n/translate.ts';
import { withReauthentication } from './reauthentication.ts';

const TIMEOUT_MS = 60_000;
const KEY_BYTES = 18;
/** Browsers limit the bodies of all `keepalive` requests to 64 KiB in total. */
const KEEPALIVE_MAX_CHARACTERS = 20_000;
const inFlight = new WeakSet<AbortSignal>();
let onSignedOut = () => {};

/** The region, as the browser has it, decides the customs of spreadsheets. */
function languageWithRegion(): string {
  const locale = browserLocale();
  return locale?.split('-')[0] === language.split('-')[0] ? (locale ?? language) : language;
}

async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const workspace = chosenWorkspace();
  const headers = {
    ...(init.headers as Record<string, string>),
    ...DASHBOARD_HEADER,
    'accept-language': languageWithRegion(),
    ...(workspace !== undefined && { 'x-workspace': workspace }),
  };
  const isSmall = typeof init.body === 'string' && init.body.length <= KEEPALIVE_MAX_CHARACTERS;
  // A hidden page may be closed at any moment.
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

/** The API client of the signed-in user. */
export const campanile = createClient({ url: '', tries: 3, longestWaitMs: 5_000, timeoutMs: TIMEOUT_MS, fetch: send });

/** Sets the function to call when the service no longer accepts the session. */
export function setSignedOutHandler(act: () => void): void {
  onSignedOut = act;
}

/**
 * Calls one operation of the API as the signed-in user. Rejects with a CampanileError. A change is tried at once or rejects at once, with
 * OfflineError. A read rejects as soon as the connection is known to be lost.
 */
export async function call<P extends Path>(path: P, body: Body<P>, options: CallOptions = {}): Promise<Data<P>> {
  return (await callWithHeaders(path, body, options)).data;
}

/** Like `call`, with the response's headers. */
export async function callWithHeaders<P extends Path>(
  path: P,
  body: Body<P>,
  options: CallOptions = {},
): Promise<Answer<Data<P>>> {
  return withReauthentication(() => tryCall(path, body, options));
}

async function tryCall<P extends Path>(path: P, body: Body<P>, options: CallOptions): Promise<Answer<Data<P>>> {
  // The client lets some bodies be omitted; a generic path cannot tell which.
  const ask = campanile.ask as (path: P, body: Body<P>, options: CallOptions) => Promise<Answer<Data<P>>>;
  const isChange = idempotencyOf(path) !== 'always' && !isReadOnlyCall(path, body);
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

/** Returns whether the change with this signal was sent and not answered yet: aborting it now leaves its outcome unknown. */
export function isInFlight(signal: AbortSignal): boolean {
  return inFlight.has(signal);
}

/** Without a change in its body, the operation only returns the settings. */
function isReadOnlyCall(path: Path, body: object): boolean {
  return path === 'venom/update-account' && Object.keys(body).every((field) => field === 'account_id');
}

function withConnectionSignal(signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([signal, connectionSignal()]) : connectionSignal();
}

/** `navigator.onLine` can be false although the service runs on this machine, so it is asked. */
async function requireConnection(signal: AbortSignal | undefined): Promise<void> {
  if (!isDisconnected() && navigator.onLine) return;
  const isReached = await checkConnection();
  signal?.throwIfAborted();
  if (!isReached) throw new OfflineError({ isOffline: !navigator.onLine });
}

function toUnansweredError(error: unknown): unknown {
  const isSilence = error instanceof CampanileError && error.status === 0 && !(error instanceof OfflineError);
  return isSilence ? new UnansweredError(error) : error;
}

/** Ends the session if the request failed with 401, and leaves a workspace that the user is no member of. */
export function endSessionOnUnauthorized(error: unknown): void {
  if (!(error instanceof CampanileError)) return;
  if (error.status === 401) onSignedOut();
  // Only a chosen workspace can be unknown, so that this cannot repeat itself.
  if (error.errorCode === 'workspace_not_found' && chosenWorkspace() !== undefined) openWorkspace(undefined);
}

/** Calls an endpoint outside the API, such as the session. Rejects with a CampanileError. */
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

/** Returns a random key. Not `crypto.randomUUID`, which is missing on pages served over plain HTTP. */
export function generateIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
