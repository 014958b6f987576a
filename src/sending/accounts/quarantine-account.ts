/** Quarantine: a write that would break a rule of the ledger is rolled back, and its workspace sends nothing until a user connects an account again. */
import { STATE_REASONS } from '../../platform/errors/account-states.ts';
import { execute, hasRow, type Connection, type Database } from '../../platform/database/statements.ts';
import {
  isolateEach,
  isolateFailures,
  type BatchWork,
  type Outcome,
} from '../../platform/database/isolate-failures.ts';
import { BATCHES, type BatchName, type QuarantineDeps } from '../../platform/database/quarantine.ts';
import { requeueLanes } from '../leases/lease-store.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { inLedger, lockLane, lockLedger, lockLedgerOf } from './store.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';

/** The reason that the user of a quarantined account reads. */
export const STOPPED = STATE_REASONS.quarantined;

/** Violated constraints and values out of range: a retry would fail again. */
const BROKEN_RULES = /^2[23]/;

/** Whose rows a write concerns: those of a workspace, or of the workspace of an account. */
export type LedgerOwner = { workspaceId: WorkspaceId; accountId?: undefined } | { accountId: AccountId };

/**
 * Returns the result of `write`, which concerns this owner alone. If it would break a rule of the ledger, it is rolled back, all accounts of
 * the workspace are stopped, which is logged, and the result is undefined. With `gaps`, the whole gap of each messenger in milliseconds, `write` was
 * the end of a turn of the account: the turn is taken back, and its deliveries become uncertain. Throws all other errors of `write`.
 */
export async function writeOrQuarantine<Result>(
  deps: QuarantineDeps,
  owner: LedgerOwner,
  write: () => Promise<Result>,
  gaps?: Readonly<Record<string, number>>,
): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!BROKEN_RULES.test(errorCodeOf(error) ?? '')) throw error;
    if (await stop(deps.db, owner, gaps)) {
      const rule = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
      deps.log?.error({ err: error, ...owner, rule }, 'a workspace was stopped: its ledger would have become wrong');
    }
    return undefined;
  }
}

/**
 * `isolateFailures` for writes of the ledger. Of a batch that fails, each owner at fault is written alone, by `writeOrQuarantine`.
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
      return writeOrQuarantine(deps, ownerOf(batch, idOf(first)), () => run(some), gapsOf?.(first));
    },
  });
}

/**
 * `isolateEach` for the upkeep of ledgers: works on each item with the ledger of its workspace locked, which may be gone. Returns whether there
 * were any items.
 */
export async function workInLedgers<Item extends { workspaceId: WorkspaceId }>(
  deps: QuarantineDeps,
  batch: BatchName,
  items: readonly Item[],
  work: (trx: Connection, item: Item) => Promise<unknown>,
): Promise<boolean> {
  await isolateEach(deps, batch, items, {
    idOf: ({ workspaceId }) => workspaceId,
    run: (item) => inLedger(deps.db, item.workspaceId, (trx) => work(trx, item)),
  });
  return items.length > 0;
}

export interface LedgerWork<Item, Result> extends BatchWork<Item, Result> {
  gapsOf?: ((item: Item) => Readonly<Record<string, number>>) | undefined;
}

function ownerOf(batch: BatchName, id: number): LedgerOwner {
  return BATCHES[batch] === 'account' ? { accountId: id as AccountId } : { workspaceId: id as WorkspaceId };
}

/** Stops all accounts of the workspace. False when they had been stopped before, or are gone. */
function stop(db: Database, owner: LedgerOwner, gaps?: Readonly<Record<string, number>>): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const workspaceId = await lockLedgerOfOwner(trx, owner);
    if (workspaceId === undefined) return false;
    if (gaps && owner.accountId !== undefined && (await lockLane(trx, owner.accountId)))
      await requeueLanes(trx, [owner.accountId], gaps);
    await execute(trx)`update lanes set held_until = 'infinity' where workspace_id = ${workspaceId}`;
    return hasRow(trx)`
      update accounts set stop_reason = ${STOPPED}
      where workspace_id = ${workspaceId} and removed_at is null and stop_reason is null returning 1`;
  });
}

async function lockLedgerOfOwner(trx: Connection, owner: LedgerOwner): Promise<WorkspaceId | undefined> {
  if (owner.accountId !== undefined) return (await lockLedgerOf(trx, owner.accountId))?.workspaceId;
  return (await lockLedger(trx, owner.workspaceId)) ? owner.workspaceId : undefined;
}
