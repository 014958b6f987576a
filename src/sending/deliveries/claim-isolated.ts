/** Poison message: takes turns for all accounts that are due, without those that make the claim fail. */
import { sql } from 'kysely';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { isolateStatement } from '../../platform/database/isolate-statement.ts';
import { readQuarantined, type QuarantineDeps } from '../../platform/database/quarantine.ts';
import { claimTurns, type ClaimOptions, type Turn } from './claim-turns.ts';
import { refreshSendWindows } from './refresh-send-windows.ts';

export interface Claim {
  turns: Turn[];
  /** Accounts whose rules have to be looked up before a turn is taken. */
  closed: number[];
  /** Accounts in quarantine, of which no turn was taken. */
  skipped: number[];
}

/**
 * Claims in one statement for all accounts but those in quarantine. If that fails because of the data, it claims for smaller and smaller
 * groups of the accounts that are due, and puts those that fail alone into quarantine. Accounts whose next try is due are claimed alone.
 */
export async function claimIsolated(
  deps: QuarantineDeps,
  options: Omit<ClaimOptions, 'skipped' | 'wanted' | 'onClosed' | 'log'>,
): Promise<Claim> {
  const { db, log } = deps;
  const [lanes, closedLanes, suspects] = await Promise.all([
    readQuarantined(db, 'lanes'),
    readQuarantined(db, 'closed lanes'),
    readQuarantined(db, 'poison suspects'),
  ]);
  const others = [...closedLanes.held, ...suspects.held];
  const closed: number[] = [];
  const turns = await isolateStatement(deps, 'lanes', {
    findOwners: () => findDue(deps, options, others),
    run: ({ skipped, wanted }) =>
      claimTurns(db, {
        ...options,
        skipped: [...skipped, ...others],
        wanted: wanted ?? undefined,
        ...(log && { log }),
        onClosed: (ids) => closed.push(...ids),
      }),
  });
  return { turns: turns.flat(), closed, skipped: [...lanes.held, ...lanes.due, ...others] };
}

/** Accounts of which a turn may be due in these shards, those that wait longest first. */
async function findDue(
  { db }: QuarantineDeps,
  { shards, lanes }: Pick<ClaimOptions, 'shards' | 'lanes'>,
  skipped: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    select account_id from lanes
    where shard = any(${shards}::smallint[]) and wake_at <= campanile_now() and account_id <> all(${[...skipped]}::bigint[])
    order by wake_at limit ${lanes}`.execute(db);
  return rows.map((row) => row.account_id);
}

/** `refreshSendWindows` without the accounts whose rules cannot be looked up. */
export async function openIsolated(
  deps: QuarantineDeps,
  accountIds: readonly number[],
  timeZone: string,
): Promise<void> {
  await isolateFailures(deps, 'closed lanes', accountIds, {
    idOf: (accountId) => accountId,
    run: (some) => refreshSendWindows(deps.db, some, timeZone),
  });
}
