import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** Makes the running runs of a workspace, whose ledger must be locked, ones that all of its accounts send. */
export async function shareRuns(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    with shared as (
      update runs set is_shared = true where workspace_id = ${workspaceId} and status = 'running' and not is_shared
      returning workspace_id, run_id, next_position
    )
    insert into run_senders (workspace_id, run_id, account_id, next_position)
    select s.workspace_id, s.run_id, l.account_id, s.next_position from shared s join lanes l on l.workspace_id = s.workspace_id
    on conflict do nothing`.execute(trx);
}
