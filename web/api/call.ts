import type { failure } from '../../src/http/contract/envelope.ts';
import type { z } from 'zod';
import type { Body, Data, Path } from './operations.ts';

type Failure = z.output<typeof failure>;

/** What a request that failed has to say. `status` 0: the service could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly details: Failure['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, details: Failure['details'] = [], retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface CallOptions {
  signal?: AbortSignal;
  /** The same key with the same body does nothing twice. */
  idempotencyKey?: string;
}

interface Answer<Result> {
  data: Result;
  headers: Headers;
}

/** Without this header the service does not look at the session's cookie: a page of another origin cannot send it. */
const DASHBOARD_HEADER = { 'x-campanile-dashboard': '1' };
const SLOW_MS = 60_000;
let onSignedOut = () => {};

/** What is to be done when the service no longer knows who we are. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** Calls one operation of the API as whoever is signed in. Rejects with an ApiError. */
export async function call<P extends Path>(path: P, body: Body<P>, options: CallOptions = {}): Promise<Data<P>> {
  return (await callWithHeaders(path, body, options)).data;
}

/** The same for whoever needs what the answer's headers say. */
export async function callWithHeaders<P extends Path>(
  path: P,
  body: Body<P>,
  { signal, idempotencyKey }: CallOptions = {},
): Promise<Answer<Data<P>>> {
  try {
    return await request<Data<P>>(`/api/v1/${path}`, 'POST', body, {
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
    throw error;
  }
}

/** Sends JSON and opens the envelope of what comes back. Rejects with an ApiError. */
export async function request<Result>(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  body?: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Answer<Result>> {
  const timeout = AbortSignal.timeout(SLOW_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...DASHBOARD_HEADER,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, error instanceof Error ? error.message : String(error));
  }
  const envelope = open(text);
  if (response.ok && envelope !== undefined) return { data: envelope.data as Result, headers: response.headers };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiError(
    response.status,
    envelope?.message ?? response.statusText,
    envelope?.details ?? [],
    Number.isFinite(seconds) ? seconds : undefined,
  );
}

/** A proxy in between may answer with something else. */
function open(text: string): { data: unknown; message?: string; details?: Failure['details'] } | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('data' in parsed)) return undefined;
    return parsed;
  } catch {
    return undefined;
  }
}
