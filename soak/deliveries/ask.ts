import { sleep } from '../../src/platform/time/time.ts';
import { pick } from '../../test/support/inputs/random.ts';

/** What an API answered in the end. */
export interface Told<Data> {
  status: number;
  data: Data;
  headers: Headers;
  /** More than one: an earlier try may have been carried out too. */
  tries: number;
}

/** Asks one of the APIs, and again while they are away or have no time. Other refusals are answers too. */
export type Ask = <Data>(who: { token: string }, operation: string, body?: object, key?: string) => Promise<Told<Data>>;

const RETRY_MS = 150;
const PATIENCE_MS = 10_000;
const LONGEST_MS = 120_000;
/** Not now: too much to do, the database away. */
const LATER = new Set([429, 503]);

/** `onFault` hears of every answer that no fault excuses: 500s, a 503 without `retry-after`, a token that is not taken. */
export function askAnyOf(urls: () => string[], random: () => number, onFault: (what: string) => void): Ask {
  return async <Data>({ token }: { token: string }, operation: string, body: object = {}, key?: string) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const deadline = performance.now() + LONGEST_MS;
    const seen = new Map<string, number>();
    for (let tries = 1; ; tries++) {
      const answer = await tryOnce(`${pick(random, urls())}/api/v1/${operation}`, headers, body);
      if (answer && !isNoApi(answer)) {
        const { status } = answer;
        if (status === 500) onFault(`${operation} answered 500`);
        // Nobody signs out here.
        if (status === 401 || status === 403) onFault(`${operation} answered ${status}: ${answer.body.message}`);
        if (status === 503 && !answer.headers.has('retry-after'))
          onFault(`${operation} answered 503 without retry-after`);
        if (status !== 500 && status !== 401 && !LATER.has(status) && !isUnderWay(answer)) {
          const data = (answer.body as { data: Data }).data;
          return { status, data, headers: answer.headers, tries };
        }
      }
      const outcome = answer ? `${answer.status} ${answer.body.message ?? ''}` : 'no answer';
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      if (performance.now() > deadline)
        throw new Error(
          `${operation} was not carried out in ${LONGEST_MS / 1_000} s: ${JSON.stringify(Object.fromEntries(seen))}`,
        );
      await sleep(RETRY_MS);
    }
  };
}

interface Answer {
  status: number;
  headers: Headers;
  body: { data: unknown; message?: string };
}

/** Undefined when there was none. */
async function tryOnce(url: string, headers: Record<string, string>, body: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  } catch (error) {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError'))
      return undefined;
    throw error;
  }
}

/** After an API has ended, another process may own its port, such as a worker that only serves its health. */
function isNoApi({ status, body }: Answer): boolean {
  return status === 404 && body.message === 'There is no such path';
}

/** The first try with this key goes on somewhere. */
function isUnderWay({ status, body }: Answer): boolean {
  return status === 409 && (body.message ?? '').includes('still under way');
}
