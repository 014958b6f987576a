import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

export interface RunKey {
  workspaceId: WorkspaceId;
  runId: number;
}

/**
 * Ends runs with nothing queued, and campaigns without open runs. Call it in the transaction that removed the queued deliveries, with the
 * lanes locked. Runs with queued deliveries are skipped, so a repeated call changes nothing.
 */
export async function settleRuns(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`select settle_runs(${workspaceIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`.execute(trx);
}

/**
 * Turns `completed_with_errors` into `completed` for ended runs and campaigns without failed deliveries: a failed delivery turned out to
 * have been sent. The ledgers must be locked.
 */
export async function clearErrors(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`select clear_errors(${workspaceIds(runs)}::bigint[], ${runIds(runs)}::bigint[])`.execute(trx);
}

/** Counts ended runs off their campaigns, one for each time a campaign is named; a campaign with none left has ended too. */
export async function closeRuns(trx: Connection, campaignIds: readonly number[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await sql`select close_runs(${campaignIds}::bigint[])`.execute(trx);
}

const workspaceIds = (runs: readonly RunKey[]) => runs.map((run) => run.workspaceId);
const runIds = (runs: readonly RunKey[]) => runs.map((run) => run.runId);
