import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';
import { AppError } from '../lib/errors.ts';

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

/** Of somebody signed in who gives their own password, to change it. */
export const OWN_PASSWORD_FAILURES: AttemptLimit = { name: 'own password', max: 10, windowMs: QUARTER_OF_AN_HOUR_MS };

/** Counts that were taken; each can be given back. */
type Taken = Array<{ subject: string; at: string }>;

/**
 * Counts an attempt under each key, or under none: throws AppError `rate_limited` with the time left when one of them has had its
 * attempts. Attempts of many processes at once are counted one after the other.
 */
export async function takeAttempts(db: Database, attempts: readonly CountedAttempt[]): Promise<Taken> {
  return db.transaction().execute(async (trx) => {
    const taken: Taken = [];
    for (const attempt of attempts) {
      const subject = subjectOf(attempt);
      taken.push({
        subject,
        at: (await takeOne(trx, subject, attempt.limit)) ?? (await refuse(trx, subject, attempt.limit)),
      });
    }
    return taken;
  });
}

/**
 * Runs an attempt and counts it under each key, but only for as long as it has not succeeded: false keeps the count, true or an
 * error takes it back. Counted before it runs, or many at once would all slip through.
 */
export async function countFailures(
  db: Database,
  attempts: readonly CountedAttempt[],
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  const taken = await takeAttempts(db, attempts);
  let failed = false;
  try {
    const succeeded = await attempt();
    failed = !succeeded;
    return succeeded;
  } finally {
    if (!failed) await giveBack(db, taken);
  }
}

/** Forgets attempts that no limit looks at any more. */
export async function clearOldAttempts(db: Connection): Promise<void> {
  await sql`
    delete from attempts
    where times[cardinality(times)] < campanile_now() - ${HOUR_MS} * interval '1 millisecond'`.execute(db);
}

/** Names and addresses are not kept, only whether they are the same again. */
function subjectOf({ limit, key }: CountedAttempt): string {
  return `${limit.name} ${createHash('sha256').update(key).digest('base64url')}`;
}

/** When the attempt was counted, in the database's own precision; undefined when there were too many. */
async function takeOne(trx: Connection, subject: string, { max, windowMs }: AttemptLimit): Promise<string | undefined> {
  const { rows } = await sql<{ at: string }>`
    insert into attempts as a (subject, times) values (${subject}, array[campanile_now()])
    on conflict (subject) do update set times = ${recent(windowMs)} || campanile_now()
      where cardinality(${recent(windowMs)}) < ${max}
    returning campanile_now()::text as at`.execute(trx);
  return rows[0]?.at;
}

async function refuse(trx: Connection, subject: string, { windowMs }: AttemptLimit): Promise<never> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from (${recent(windowMs)})[1] - campanile_now()) * 1000)::float8 + ${windowMs} as ms
    from attempts a where subject = ${subject}`.execute(trx);
  throw new AppError('rate_limited', 'Too many attempts: try again later', {
    retryAfterSeconds: Math.max(1, Math.ceil((rows[0]?.ms ?? windowMs) / 1_000)),
  });
}

/** The attempts of row `a` that lie within the window. */
function recent(windowMs: number) {
  return sql`array(select t from unnest(a.times) t where t > campanile_now() - ${windowMs} * interval '1 millisecond' order by t)`;
}

async function giveBack(db: Connection, taken: Taken): Promise<void> {
  for (const { subject, at } of taken)
    await sql`update attempts set times = array_remove(times, ${at}::timestamptz) where subject = ${subject}`.execute(
      db,
    );
}
