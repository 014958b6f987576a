/** Poison message: takes turns for all accounts that are due, without those that make the claim fail. */
import { sql } from 'kysely';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { isolateStatement } from '../../platform/database/isolate-statement.ts';
import { readQuarantined, type QuarantineDeps } from '../../platform/database/quarantine.ts';
import { claimRuled } from './claim-ruled.ts';
import { claimTurns, isolateSuspects, type ClaimOptions, type Turn } from './claim-turns.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface Claim {
  turns: Turn[];
  /** Due accounts with quiet hours, a daily cap or a warm-up: `claimRuledIsolated` claims for them. */
  ruled: AccountId[];
  /** Accounts in quarantine, of which no turn was taken. */
  skipped: number[];
}

type Options = Omit<ClaimOptions, 'skipped' | 'wanted' | 'rooms'>;

/**
 * Claims in one statement for all accounts but those in quarantine. If that fails because of the data, it claims for smaller and smaller
 * groups of the accounts that are due, and puts those that fail alone into quarantine. Accounts whose next try is due are claimed alone.
 */
export async function claimIsolated(deps: QuarantineDeps, options: Options): Promise<Claim> {
  const { db, log } = deps;
  const [lanes, windows, suspects] = await Promise.all([
    readQuarantined(db, 'lanes'),
    readQuarantined(db, 'send windows'),
    readQuarantined(db, 'poison suspects'),
  ]);
  const others = [...windows.held, ...suspects.held];
  const claims = await isolateStatement(deps, 'lanes', {
    findOwners: () => findDue(deps, options, others),
    run: ({ skipped, wanted }) =>
      claimTurns(db, { ...options, skipped: [...skipped, ...others], wanted: wanted ?? undefined }),
  });
  const turns = claims.flatMap((claim) => claim.turns);
  return {
    turns: await isolateSuspects(db, turns, log),
    ruled: claims.flatMap((claim) => claim.ruled),
    skipped: [...lanes.held, ...lanes.due, ...others],
  };
}

/** `claimRuled` without the accounts whose rules cannot be evaluated. */
export async function claimRuledIsolated(
  deps: QuarantineDeps,
  accountIds: readonly AccountId[],
  options: Options & { timeZone: string },
): Promise<Turn[]> {
  const { results } = await isolateFailures(deps, 'send windows', accountIds, {
    idOf: (accountId) => accountId,
    run: (some) => claimRuled(deps.db, some, options),
  });
  return isolateSuspects(deps.db, results.flat(), deps.log);
}

/** Accounts of which a turn may be due in these shards, those that wait longest first. */
async function findDue(
  { db }: QuarantineDeps,
  { shards, lanes }: Pick<ClaimOptions, 'shards' | 'lanes'>,
  skipped: readonly number[],
): Promise<AccountId[]> {
  const { rows } = await sql<{ account_id: AccountId }>`
    select account_id from lanes
    where shard = any(${shards}::smallint[]) and wake_at <= campanile_now() and account_id <> all(${[...skipped]}::bigint[])
    order by wake_at limit ${lanes}`.execute(db);
  return rows.map((row) => row.account_id);
}
