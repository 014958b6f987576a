/** Quarantine: a write that would break a rule of the ledger is rolled back, and its account sends nothing until its user connects it again. */
import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import { isolateFailures, type BatchWork, type Outcome } from '../../platform/database/isolate-failures.ts';
import type { BatchName, QuarantineDeps } from '../../platform/database/quarantine.ts';
import { requeueLanes } from '../leases/lease-store.ts';
import { lockLane, lockLedger } from './store.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/** The reason that the user of a quarantined account reads. */
export const STOPPED =
  'Sending is stopped, because the records of sent posts contradict each other. No data was lost. ' +
  'Connect your account again to recount the posts and to continue.';

/** Violated constraints and values out of range: a retry would fail again. */
const BROKEN_RULES = /^2[23]/;

function breaksRule(error: unknown): boolean {
  return BROKEN_RULES.test(errorCodeOf(error) ?? '');
}

/**
 * Returns the result of `write`, which concerns this account alone. If it would break a rule of the ledger, it is rolled back, the account
 * is quarantined, which is logged, and the result is undefined. With `gaps`, the whole gap of each messenger in milliseconds, `write` was
 * the end of a turn: the turn is taken back, and its deliveries become uncertain. Throws all other errors of `write`.
 */
export async function writeOrQuarantine<Result>(
  deps: QuarantineDeps,
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
 * `isolateFailures` for writes of the ledger. Of a batch that fails, each account at fault is written alone, by `writeOrQuarantine`.
 * `gapsOf` as `gaps` there: the items are ends of turns.
 */
export function isolateWrites<Item, Result>(
  deps: QuarantineDeps,
  batch: BatchName,
  items: readonly Item[],
  { idOf, run, gapsOf }: LedgerWork<Item, Result>,
): Promise<Outcome<Item, Result | undefined>> {
  return isolateFailures(deps, batch, items, {
    idOf,
    run: (some) => {
      const [first] = some;
      if (first === undefined || some.length > 1) return run(some);
      return writeOrQuarantine(deps, idOf(first), () => run(some), gapsOf?.(first));
    },
  });
}

export interface LedgerWork<Item, Result> extends BatchWork<Item, Result> {
  gapsOf?: ((item: Item) => Readonly<Record<string, number>>) | undefined;
}

/** False when the account had been stopped before, or is gone. The ledger of a further account is the one of the default account. */
function stop(db: Database, sender: number, gaps?: Readonly<Record<string, number>>): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const accountId = await lockLedger(trx, sender);
    if (accountId === undefined) return false;
    if (gaps && (sender === accountId || (await lockLane(trx, sender)))) await requeueLanes(trx, [sender], gaps);
    await sql`update lanes set held_until = 'infinity' where account_id = ${accountId}`.execute(trx);
    const { rows } = await sql`
      update accounts set stop_reason = ${STOPPED} where account_id = ${accountId} and stop_reason is null returning 1`.execute(
      trx,
    );
    return rows.length > 0;
  });
}
