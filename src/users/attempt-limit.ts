import { createHash, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';
import { AppError } from '../lib/errors.ts';
import { sleep } from '../lib/time.ts';

/** How often something may be tried under one key, over all processes (contract §2, row 429). */
export interface AttemptLimit {
  /** What is limited; parts the counts of different limits. */
  name: string;
  /** At most so many attempts ... */
  max: number;
  /** ... within any span of so many milliseconds. */
  windowMs: number;
}

/** An attempt to count under a key, such as a user name or an address. */
export interface CountedAttempt {
  limit: AttemptLimit;
  key: string;
}

const QUARTER_OF_AN_HOUR_MS = 15 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;

export const SIGN_UPS_PER_ADDRESS: AttemptLimit = { name: 'sign-ups', max: 600, windowMs: HOUR_MS };
export const FAILURES_PER_NAME: AttemptLimit = { name: 'failures', max: 100, windowMs: QUARTER_OF_AN_HOUR_MS };
export const FAILURES_PER_NAME_AND_ADDRESS: AttemptLimit = {
  name: 'failures here',
  max: 10,
  windowMs: QUARTER_OF_AN_HOUR_MS,
};

/** Of somebody signed in who gives their own password, to change it or to delete their account. */
export const OWN_PASSWORD_FAILURES: AttemptLimit = { name: 'own password', max: 10, windowMs: QUARTER_OF_AN_HOUR_MS };

/** What an attempt is waited for that was under way when its process died. Longer than any password takes to be checked. */
const UNDER_WAY_MS = 30_000;
/** Between two looks whether an attempt that was under way has ended. Some 10 ms is what checking a password takes. */
const LOOK_AGAIN_MS = { min: 20, max: 60 };
/** Some 10 s: whoever has to wait longer is better off coming back. */
const LOOKS = 250;

/** Attempts that were begun, each to be ended. */
type Begun = Array<{ subject: string; at: string }>;

/**
 * Counts an attempt under each key, or under none: throws AppError `rate_limited` with the time left when one of them has had its
 * attempts. Attempts of many processes at once are counted one after the other.
 */
export async function takeAttempts(db: Database, attempts: readonly CountedAttempt[]): Promise<void> {
  await endAttempts(db, await beginAttempts(db, attempts), { counts: true });
}

/**
 * Runs an attempt and counts it under each key if it comes to false. No more are under way at once than may still fail; whoever
 * comes then waits for one of them to end, so that an attempt which succeeds never costs another one its place.
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
  for (let look = 0; look < LOOKS; look += 1) {
    const begun = await tryToBegin(db, attempts);
    if (begun) return begun;
    await sleep(randomInt(LOOK_AGAIN_MS.min, LOOK_AGAIN_MS.max));
  }
  throw new AppError('unavailable', 'Too many sign-ins are under way: try again in a moment');
}

/** Undefined: one of the keys is full, with attempts among it that are still under way. */
async function tryToBegin(db: Database, attempts: readonly CountedAttempt[]): Promise<Begun | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      const begun: Begun = [];
      for (const attempt of attempts) {
        const subject = subjectOf(attempt);
        const at = await beginOne(trx, subject, attempt.limit);
        if (at === undefined) await refuseFull(trx, subject, attempt.limit);
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
  await sql`
    delete from attempts
    where coalesce(greatest(times[cardinality(times)], under_way[cardinality(under_way)]), '-infinity')
          < campanile_now() - ${HOUR_MS} * interval '1 millisecond'`.execute(db);
}

/** Names and addresses are not kept, only whether they are the same again. */
function subjectOf({ limit, key }: CountedAttempt): string {
  return `${limit.name} ${createHash('sha256').update(key).digest('base64url')}`;
}

/** When the attempt began, in the database's own precision; undefined when there are too many. */
async function beginOne(
  trx: Connection,
  subject: string,
  { max, windowMs }: AttemptLimit,
): Promise<string | undefined> {
  const { rows } = await sql<{ at: string }>`
    insert into attempts as a (subject, times, under_way) values (${subject}, '{}', array[campanile_now()])
    on conflict (subject) do update set times = ${recent(windowMs)}, under_way = ${UNDER_WAY} || campanile_now()
      where cardinality(${recent(windowMs)}) + cardinality(${UNDER_WAY}) < ${max}
    returning campanile_now()::text as at`.execute(trx);
  return rows[0]?.at;
}

async function refuseFull(trx: Connection, subject: string, { max, windowMs }: AttemptLimit): Promise<never> {
  const { rows } = await sql<{ counted: number; ms: number }>`
    select cardinality(${recent(windowMs)}) as counted,
           (extract(epoch from (${recent(windowMs)})[1] - campanile_now()) * 1000)::float8 + ${windowMs} as ms
    from attempts a where subject = ${subject}`.execute(trx);
  const [row] = rows;
  if (!row || row.counted < max) throw new StillUnderWay();
  throw new AppError('rate_limited', 'Too many attempts: try again later', {
    retryAfterSeconds: Math.max(1, Math.ceil(row.ms / 1_000)),
  });
}

/** The attempts of row `a` that lie within the window, oldest first. */
function recent(windowMs: number) {
  return sql`array(select t from unnest(a.times) t where t > campanile_now() - ${windowMs} * interval '1 millisecond' order by t)`;
}

/** The attempts of row `a` that have begun and not ended. */
const UNDER_WAY = sql`array(select t from unnest(a.under_way) t where t > campanile_now() - ${UNDER_WAY_MS} * interval '1 millisecond')`;

async function endAttempts(db: Connection, begun: Begun, { counts }: { counts: boolean }): Promise<void> {
  for (const { subject, at } of begun)
    await sql`
      update attempts set under_way = array_remove(under_way, ${at}::timestamptz),
                          times = case when ${counts} then times || ${at}::timestamptz else times end
      where subject = ${subject}`.execute(db);
}
