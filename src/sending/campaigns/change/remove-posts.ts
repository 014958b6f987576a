import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';

/** Rows a step, so that none holds the lane for long. */
const CHUNK = 5_000;

/** What hangs on a campaign by its runs. */
export type RunTable =
  | 'receipts'
  | 'votes'
  | 'provisional_receipts'
  | 'run_minutes'
  | 'poll_results'
  | 'poll_hours'
  | 'revisions'
  | 'pins'
  | 'everyone_mentions'
  | 'members_without_devices'
  | 'deliveries';

/**
 * Removes the next rows of the first of these tables that has any of the campaign; false when none has. Latest run first: if a post turns
 * out to have been sent, the errors of earlier runs still exist. The ledger must be locked.
 */
export async function removePosts(trx: Connection, campaignId: number, tables: readonly RunTable[]): Promise<boolean> {
  for (const table of tables) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select t.row from (select workspace_id, run_id from runs where campaign_id = ${campaignId} order by run_id desc offset 0) r
        cross join lateral (
          select ctid as row from ${sql.table(table)} q where q.workspace_id = r.workspace_id and q.run_id = r.run_id limit ${CHUNK}) t
        limit ${CHUNK}))`.execute(trx);
    if (numAffectedRows > 0n) return true;
  }
  return false;
}
