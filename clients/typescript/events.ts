import { CampanileError, failureOf, unreachable } from './failure.ts';
import { parseEvents } from './parse-events.ts';
import { pause } from './pause.ts';
import type { CampaignDeletedEvent, CampaignEvent, ExpiredEvent, MessageEvent, Operations } from './types.ts';

/**
 * A live event. A snapshot follows each `connected`; a campaign that is not in it ended over an hour ago. Each `message` comes once and
 * in order, however often the connection breaks, unless `expired` says that some are lost. `events({ lastEventId })` resumes after it.
 */
export type LiveEvent = { lastEventId: string | undefined } & (
  | { event: 'connected'; data: null }
  | { event: 'message'; data: MessageEvent }
  | { event: 'expired'; data: ExpiredEvent }
  | { event: 'account'; data: Operations['venom/account-status']['data'] }
  | { event: 'campaign'; data: CampaignEvent }
  | { event: 'campaign_deleted'; data: CampaignDeletedEvent }
);

export interface ListenOptions {
  /** The id of the last received event: resumes after it, within 24 hours. */
  lastEventId?: string | undefined;
  /** Ends the iteration, which then throws its reason. */
  signal?: AbortSignal;
  /** Milliseconds of silence after which the client reconnects; 45,000 unless given. The service sends a comment every 15 s. */
  silenceMs?: number;
}

interface Connection extends ListenOptions {
  send: (input: string, init: RequestInit) => Promise<Response>;
  headers: Record<string, string>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

const EVENTS: ReadonlySet<string> = new Set<LiveEvent['event']>([
  'message',
  'expired',
  'account',
  'campaign',
  'campaign_deleted',
]);

/** An event of one connection. */
type ReceivedEvent = { event: string; data: unknown } | { retryMs: number } | { id: string };

/**
 * Yields events until the iteration is left. Reconnects whenever the stream ends, and resumes after the last event. Throws a
 * CampanileError only if retrying cannot help: the token has expired, or the key's scope is insufficient.
 */
export async function* listenToEvents(url: string, options: Connection): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal } = options;
  let waitMs = FIRST_WAIT_MS;
  let failures = 0;
  let { lastEventId } = options;
  for (;;) {
    try {
      for await (const received of listenOnce(url, { ...options, lastEventId })) {
        failures = 0;
        if ('retryMs' in received) waitMs = received.retryMs;
        else if ('id' in received) lastEventId = received.id;
        else yield { ...received, lastEventId } as LiveEvent;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const failure = error instanceof CampanileError ? error : unreachable(error);
      if (isFinal(failure)) throw failure;
      failures += 1;
      await pause(failure.retryAfterMs ?? Math.min(waitMs * 2 ** (failures - 1), LONGEST_WAIT_MS), signal);
      continue;
    }
    await pause(waitMs, signal);
  }
}

function isFinal({ status }: CampanileError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

async function* listenOnce(
  url: string,
  { send, headers, signal, silenceMs = 45_000, lastEventId }: Connection,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const leaving = new AbortController();
  const leave = () => leaving.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', leave, { once: true });
  /** Limits the wait for the service, not the time that the consumer takes. */
  async function soon<T>(awaited: Promise<T>): Promise<T> {
    const timer = setTimeout(() => leaving.abort(new Error('nothing was heard for too long')), silenceMs);
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  }
  try {
    const asked = {
      ...headers,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const response = await soon(send(url, { headers: asked, signal: leaving.signal }));
    if (!response.ok || !response.body) throw await failureOf(response);
    yield { event: 'connected', data: null };
    const decoder = new TextDecoder();
    const parse = parseEvents();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await soon(reader.read());
      if (done) return;
      for (const frame of parse(decoder.decode(value, { stream: true }))) {
        if (frame.kind === 'retry') yield { retryMs: frame.ms };
        else if (frame.kind === 'id') yield { id: frame.id };
        else if (EVENTS.has(frame.event)) yield { event: frame.event, data: JSON.parse(frame.data) as unknown };
      }
    }
  } finally {
    signal?.removeEventListener('abort', leave);
    // Also when the iteration was left: the connection must not stay.
    leaving.abort();
  }
}
