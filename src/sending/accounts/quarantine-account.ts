/** What breaks a rule of the ledger is not written down, and its account sends nothing more until somebody has looked at it. */
import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import { requeueLanes } from '../leases/lease-store.ts';
import { lockLane } from './store.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/** For the user of an account that is stopped. */
export const STOPPED =
  'Sending is stopped, because the records of sent posts contradict each other. No data was lost. ' +
  'Connect your account again to recount the posts and to continue.';

/** Integrity constraints and data that do not fit: to try again would come to the same. */
const BROKEN_RULES = /^2[23]/;

/** Whether the database refused what was to be written, as what must never be. */
function breaksRule(error: unknown): boolean {
  return BROKEN_RULES.test(errorCodeOf(error) ?? '');
}

/**
 * What `write` comes to, which is about this account alone; undefined where it would break a rule: then nothing of it is written, and
 * the account is stopped, which is logged. With `gaps`, the whole gap of each messenger in milliseconds, `write` was the end of its
 * turn: that is taken back, and what was in hand is marked as what may have left. Throws whatever else `write` throws.
 */
export async function writeOrQuarantine<Result>(
  deps: { db: Database; log?: Log | undefined },
  accountId: number,
  write: () => Promise<Result>,
  gaps?: Readonly<Record<string, number>>,
): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!breaksRule(error)) throw error;
    if (await stop(deps.db, accountId, gaps)) {
      const rule = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
      deps.log?.error({ err: error, accountId, rule }, 'an account was stopped: its ledger would have become wrong');
    }
    return undefined;
  }
}

/**
 * The same of several accounts that are written together: where that would break a rule each is written by itself, and those that are at
 * fault are stopped. `about` says whose each is, and its gaps. Resolves to what the writes came to.
 */
export async function writeOrStopEach<One, Result>(
  deps: { db: Database; log?: Log | undefined },
  all: readonly One[],
  { about, write }: { about: (one: One) => AboutAccount; write: (some: readonly One[]) => Promise<Result> },
): Promise<Array<Result | undefined>> {
  try {
    return [await write(all)];
  } catch (error) {
    if (!breaksRule(error)) throw error;
  }
  const results = [];
  for (const one of all) {
    const { accountId, gaps } = about(one);
    results.push(await writeOrQuarantine(deps, accountId, () => write([one]), gaps));
  }
  return results;
}

interface AboutAccount {
  accountId: number;
  gaps?: Readonly<Record<string, number>>;
}

/** False when the account had been stopped before, or is gone. */
function stop(db: Database, accountId: number, gaps?: Readonly<Record<string, number>>): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockLane(trx, accountId))) return false;
    if (gaps) await requeueLanes(trx, [accountId], gaps);
    await sql`update lanes set held_until = 'infinity' where account_id = ${accountId}`.execute(trx);
    const { rows } = await sql`
      update accounts set stop_reason = ${STOPPED} where account_id = ${accountId} and stop_reason is null returning 1`.execute(
      trx,
    );
    return rows.length > 0;
  });
}
