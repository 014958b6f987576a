import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

export interface RunKey {
  accountId: number;
  runId: number;
}

/**
 * Ends the runs of which nothing is queued any more, and the campaigns of which they were the last. Call it in the transaction
 * that took away what was queued; the lanes must be locked. A run that is not done is left alone, so a repeat changes nothing.
 */
export async function settleRuns(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`select settle_runs(${accountIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`.execute(trx);
}

/**
 * Takes back 'with errors' from ended runs, and their ended campaigns, in which nothing is failed any more: what was given up
 * turned out to have been sent. The lanes must be locked.
 */
export async function clearErrors(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`select clear_errors(${accountIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`.execute(trx);
}

/** Counts ended runs off their campaigns, one for each time a campaign is named; a campaign with none left has ended too. */
export async function closeRuns(trx: Connection, campaignIds: readonly number[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await sql`select close_runs(${campaignIds}::bigint[])`.execute(trx);
}

const accountIds = (runs: readonly RunKey[]) => runs.map((run) => run.accountId);
const runIds = (runs: readonly RunKey[]) => runs.map((run) => run.runId);
