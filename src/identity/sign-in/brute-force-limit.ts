import { createHash, randomInt } from 'node:crypto';
import { execute, readRow, readValue, sql } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';

/** Brute force: how often something may be tried under one key, over all processes (contract §2, row 429). */
export interface AttemptLimit {
  /** The kind of attempt: each limit has its own counts. */
  name: string;
  /** At most so many attempts ... */
  max: number;
  /** ... within any span of so many milliseconds. */
  windowMs: number;
  /**
   * Exponential backoff beyond `max`: each further attempt waits twice as long after the last one, up to `mostMs`. Without it further
   * attempts wait until the window has moved on.
   */
  growing?: { firstMs: number; mostMs: number };
}

/** An attempt to count under a key, such as a user name or an address. */
export interface CountedAttempt {
  limit: AttemptLimit;
  key: string;
}

const HOUR_MS = 60 * 60 * 1_000;
/** Some five guesses an hour once the allowance is used up. */
const guesses = (name: string, max: number): AttemptLimit => ({
  name,
  max,
  windowMs: HOUR_MS,
  growing: { firstMs: 60_000, mostMs: 15 * 60_000 },
});

export const SIGN_UPS_PER_ADDRESS: AttemptLimit = { name: 'sign-ups', max: 600, windowMs: HOUR_MS };
export const PAIRING_CODES_PER_NUMBER: AttemptLimit = { name: 'pairing codes', max: 3, windowMs: HOUR_MS };
/** One user's failures from any address, except networks from which the user has signed in before. */
export const FAILURES_PER_USER = guesses('failures', 100);
/** One user's from one address. */
export const FAILURES_PER_USER_HERE = guesses('failures here', 10);
/** Failures from one address, over all users who have never signed in from there. */
export const FAILURES_PER_ADDRESS = guesses('failures from', 60);
/** A signed-in user's attempts at their own password, before they change it or delete their account. */
export const OWN_PASSWORD_FAILURES = guesses('own password', 10);
/** Codes of a second factor, after a correct password. */
export const FACTOR_FAILURES: AttemptLimit = { name: 'codes', max: 10, windowMs: 15 * 60_000 };

/** An attempt that was running when its process died counts as running for so long. Longer than any password check. */
const IN_FLIGHT_MS = 30_000;
/** Between two looks whether an attempt that was under way has ended. Some 10 ms is what checking a password takes. */
const RETRY_DELAY_MS = { min: 20, max: 60 };
/** Some 10 s: after that a client is better off retrying. */
const MAX_POLLS = 250;

/** Attempts that were begun, each to be ended. */
type Begun = Array<{ subject: string; at: string }>;

/**
 * Counts an attempt under each key, or under none: throws AppError `rate_limited` with the time left when one of them has had its
 * attempts. Attempts of many processes at once are counted one after the other.
 */
export async function countAttempts(db: Database, attempts: readonly CountedAttempt[]): Promise<void> {
  await endAttempts(db, await beginAttempts(db, attempts), { counts: true });
}

/**
 * Brute force: runs an attempt and counts it under each key if it resolves to false. At most as many attempts run at once as may still
 * fail. Further attempts wait until one of them ends, so that a success never uses up another attempt's allowance.
 */
export async function countFailures(
  db: Database,
  attempts: readonly CountedAttempt[],
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  const begun = await beginAttempts(db, attempts);
  let failed = false;
  try {
    const succeeded = await attempt();
    failed = !succeeded;
    return succeeded;
  } finally {
    await endAttempts(db, begun, { counts: failed });
  }
}

/**
 * Throws AppError `rate_limited` as soon as one of the keys has had its attempts. While they are only under way it waits, and throws
 * `unavailable` when that takes too long.
 */
async function beginAttempts(db: Database, attempts: readonly CountedAttempt[]): Promise<Begun> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const begun = await tryBeginAttempts(db, attempts);
    if (begun) return begun;
    await sleep(randomInt(RETRY_DELAY_MS.min, RETRY_DELAY_MS.max));
  }
  throw new AppError('sign_ins_busy', 'Too many sign-ins are in progress. Try again in a moment.');
}

/** Returns undefined when a key is full and some of its attempts are still running. */
async function tryBeginAttempts(db: Database, attempts: readonly CountedAttempt[]): Promise<Begun | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      const begun: Begun = [];
      for (const attempt of attempts) {
        const subject = subjectOf(attempt);
        const at = await beginOne(trx, subject, attempt.limit);
        if (at === undefined) await rejectOverLimit(trx, subject, attempt.limit);
        else begun.push({ subject, at });
      }
      return begun;
    });
  } catch (error) {
    if (error instanceof StillUnderWay) return undefined;
    throw error;
  }
}

/** Takes back what a transaction began for the other keys. */
class StillUnderWay extends Error {}

/** Forgets attempts that no limit looks at any more. */
export async function clearOldAttempts(db: Connection): Promise<void> {
  await execute(db)`
    delete from attempts
    where coalesce(greatest(times[cardinality(times)], in_flight[cardinality(in_flight)]), '-infinity')
          < campanile_now() - ${HOUR_MS} * interval '1 millisecond'`;
}

/** Names and addresses are not kept, only whether they are the same again. */
function subjectOf({ limit, key }: CountedAttempt): string {
  return `${limit.name} ${createHash('sha256').update(key).digest('base64url')}`;
}

/** When the attempt began, in the database's own precision; undefined when there are too many. */
async function beginOne(
  trx: Connection,
  subject: string,
  { max, windowMs, growing }: AttemptLimit,
): Promise<string | undefined> {
  const isTime = growing
    ? sql`cardinality(${IN_FLIGHT}) = 0 and ${nextAt(windowMs, max, growing)} <= campanile_now()`
    : sql`false`;
  return readValue<string>(trx)`
    insert into attempts as a (subject, times, in_flight) values (${subject}, '{}', array[campanile_now()])
    on conflict (subject) do update set times = ${recent(windowMs)}, in_flight = ${IN_FLIGHT} || campanile_now()
      where cardinality(${recent(windowMs)}) + cardinality(${IN_FLIGHT}) < ${max}
         or (cardinality(${recent(windowMs)}) >= ${max} and ${isTime})
    returning campanile_now()::text as at`;
}

async function rejectOverLimit(
  trx: Connection,
  subject: string,
  { max, windowMs, growing }: AttemptLimit,
): Promise<never> {
  const isFreeAt = growing
    ? nextAt(windowMs, max, growing)
    : sql`(${recent(windowMs)})[1] + ${windowMs} * interval '1 millisecond'`;
  const row = await readRow<{ counted: number; ms: number }>(trx)`
    select cardinality(${recent(windowMs)}) as counted,
           (extract(epoch from ${isFreeAt} - campanile_now()) * 1000)::float8 as ms
    from attempts a where subject = ${subject}`;
  if (!row || row.counted < max || (growing && row.ms <= 0)) throw new StillUnderWay();
  throw new AppError('too_many_attempts', 'Too many attempts. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(row.ms / 1_000)),
    limit: max,
  });
}

/** The attempts of row `a` that lie within the window, oldest first. */
function recent(windowMs: number) {
  return sql`array(select t from unnest(a.times) t where t > campanile_now() - ${windowMs} * interval '1 millisecond' order by t)`;
}

/** When row `a`, which is full, takes one more. */
function nextAt(windowMs: number, max: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }) {
  const beyond = sql`least(cardinality(${recent(windowMs)}) - ${max}::int, 20)`;
  return sql`a.times[cardinality(a.times)] + least(${firstMs} * 2.0 ^ ${beyond}, ${mostMs}) * interval '1 millisecond'`;
}

/** The attempts of row `a` that have begun and not ended. */
const IN_FLIGHT = sql`array(select t from unnest(a.in_flight) t where t > campanile_now() - ${IN_FLIGHT_MS} * interval '1 millisecond')`;

async function endAttempts(db: Connection, begun: Begun, { counts }: { counts: boolean }): Promise<void> {
  for (const { subject, at } of begun)
    await execute(db)`
      update attempts set in_flight = array_remove(in_flight, ${at}::timestamptz),
                          times = case when ${counts} then times || ${at}::timestamptz else times end
      where subject = ${subject}`;
}
