/**
 * Campanile's operations for programs and browsers. It needs nothing but `fetch`.
 *
 *   const campanile = createClient({ url: 'http://127.0.0.1:3000' });
 *   const { token } = await campanile.call('user/authorize_user', { user_name, password });
 *   const mine = campanile.withToken(token);
 *   const { campaign_id } = await mine.call('venom/add-campaign', { name, html, group_metadata_ids });
 *   for await (const { event, data } of mine.events()) …
 */
import { listenToEvents, type ListenOptions, type LiveEvent } from './events.ts';
import { CampanileError, failureOf, unreachable } from './failure.ts';
import { idempotencyOf, type Path } from './operations.ts';
import { pause } from './pause.ts';
import type { FileBody, Operations } from './types.ts';

export { CampanileError, type FieldError } from './failure.ts';
export type { ListenOptions, LiveEvent } from './events.ts';
export type { Idempotency, Path } from './operations.ts';
export type * from './types.ts';

export interface ClientOptions {
  /** Where the service is: `http://127.0.0.1:3000`. In a browser `''` is where the page came from. */
  url: string;
  /** A token or an API key. */
  token?: string | undefined;
  /** The id of a workspace of the user; the default workspace unless given. An API key acts in its own. */
  workspace?: number | undefined;
  /** How often a request is sent at most; 4 unless given. 1 disables retries. */
  tries?: number;
  /** The longest wait before a retry, in milliseconds; 30,000 unless given. If the service asks for more, the call throws at once. */
  longestWaitMs?: number;
  /** Milliseconds until a request without an answer fails; 120,000 unless given. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** The same key with the same body has no second effect within a day. A random one for each call unless given. */
  idempotencyKey?: string;
  /** Of `media/upload`: the name of the file; that of a `File` unless given. */
  fileName?: string;
  signal?: AbortSignal;
}

export interface Answer<Data> {
  data: Data;
  headers: Headers;
}

/** All methods throw a CampanileError, or the reason of a `signal` that was aborted. */
export interface Client {
  /**
   * Sends an operation and resolves to its `data`. Retries after a 429, and after a 503 or a lost connection where a retry has no
   * second effect. Waits as long as the service asks.
   */
  call<P extends Path>(path: P, ...rest: Arguments<P>): Promise<Operations[P]['data']>;
  /** Like `call`, but also resolves to the headers of the answer, such as `x-campaign-id` of a schedule. */
  ask<P extends Path>(path: P, ...rest: Arguments<P>): Promise<Answer<Operations[P]['data']>>;
  /** Yields the user's live events until the iteration is left. Reconnects by itself. */
  events(options?: ListenOptions): AsyncGenerator<LiveEvent, void, undefined>;
  /** Returns a client of the same service with another token or API key, and for its default workspace. */
  withToken(token: string | undefined): Client;
  /** Returns a client of the same user for another workspace; undefined: the default one. */
  withWorkspace(workspace: number | undefined): Client;
}

/** A body without required fields may be omitted. */
type Arguments<P extends Path> =
  Record<string, never> extends Operations[P]['body']
    ? [body?: Operations[P]['body'], options?: CallOptions]
    : [body: Operations[P]['body'], options?: CallOptions];

const FIRST_WAIT_MS = 500;
const KEY_BYTES = 18;

export function createClient(options: ClientOptions): Client {
  const { url, token, workspace, tries = 4, longestWaitMs = 30_000, timeoutMs = 120_000 } = options;
  // Browsers reject `fetch` as a method of another object than the window.
  const send = options.fetch ?? ((input: string, init: RequestInit) => fetch(input, init));
  const base = `${url.replace(/\/+$/, '')}/api/v1/`;
  const authorization: Record<string, string> = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(workspace !== undefined && { 'x-workspace': String(workspace) }),
  };

  async function ask<P extends Path>(path: P, ...rest: Arguments<P>): Promise<Answer<Operations[P]['data']>> {
    const [body = {}, { signal, idempotencyKey, fileName }] = [rest[0], rest[1] ?? {}];
    const isKeyed = idempotencyOf(path) === 'keyed';
    const { headers, body: written } = isFile(body)
      ? writeFile(body, fileName)
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const request = {
      method: 'POST',
      headers: {
        ...headers,
        ...authorization,
        ...(isKeyed && { 'idempotency-key': idempotencyKey ?? generateIdempotencyKey() }),
      },
      body: written,
    };
    for (let left = tries - 1; ; left--) {
      const answer = await attempt<Operations[P]['data']>(base + path, request, signal);
      if (!(answer instanceof CampanileError)) return answer;
      const waitMs = answer.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1 - left);
      if (left <= 0 || waitMs > longestWaitMs || !mayRepeat(path, answer)) throw answer;
      await pause(waitMs * (1 + Math.random() / 4), signal);
    }
  }

  /** Rejects only with the reason of the signal. */
  async function attempt<Data>(
    target: string,
    request: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | CampanileError> {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(target, { ...request, signal: signal ? AbortSignal.any([signal, limit]) : limit });
      if (!response.ok) return await failureOf(response);
      return { data: (await readData(response)) as Data, headers: response.headers };
    } catch (error) {
      signal?.throwIfAborted();
      return unreachable(error);
    }
  }

  return {
    ask,
    call: async (path, ...rest) => (await ask(path, ...rest)).data,
    events: (listening = {}) => listenToEvents(`${base}events`, { send, headers: authorization, ...listening }),
    withToken: (other) => createClient({ ...options, token: other, workspace: undefined }),
    withWorkspace: (other) => createClient({ ...options, workspace: other }),
  };
}

function isFile(body: object): body is FileBody {
  return body instanceof Blob || body instanceof ArrayBuffer || body instanceof Uint8Array;
}

/** The type counts for text only. */
function writeFile(body: FileBody, fileName: string | undefined): { headers: Record<string, string>; body: FileBody } {
  const type = body instanceof Blob ? body.type : '';
  const name = fileName ?? (body instanceof Blob && 'name' in body ? String(body.name) : undefined);
  return {
    headers: {
      'content-type': type || 'application/octet-stream',
      ...(name !== undefined && { 'x-file-name': encodeURIComponent(name) }),
    },
    body,
  };
}

/** Returns the data of an envelope. An answer without an envelope: a table as text, a file as it is. */
async function readData(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return ((await response.json()) as { data: unknown }).data;
  return type.startsWith('text/') ? response.text() : response.blob();
}

/** A 429 had no effect. A 503 or a lost connection may have had one. */
function mayRepeat(path: Path, { status }: CampanileError): boolean {
  if (status === 429) return true;
  return (status === 503 || status === 0) && idempotencyOf(path) !== 'never';
}

/** Not `crypto.randomUUID`, which is missing on pages served over plain HTTP. */
function generateIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
