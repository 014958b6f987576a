import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';
import { sendNow, type Owner } from './ledger.ts';

/**
 * Writes a campaign with a run a day to all groups of the owner, the last one now, each post sent and half of them read. No run is in the
 * sums of the campaign. Resolves to the campaign's id.
 */
export async function writePosts(db: Database, owner: Owner, runs: number): Promise<string> {
  const { workspaceId } = owner;
  const campaignId = await sendNow(db, owner);
  await sql`
    update deliveries set status = 'sent', sent_at = campanile_now(), attempts = 1, recipients = 2, delivered = 2, read = position % 2
    where workspace_id = ${workspaceId}`.execute(db);
  await sql`
    update runs r set queued = 0, sent = targets, delivered = 2 * targets, status = 'completed', started_at = due_at, finished_at = due_at,
           next_position = expanded + 1, read = (select sum(read) from deliveries d where d.workspace_id = r.workspace_id and d.run_id = r.run_id)
    where workspace_id = ${workspaceId}`.execute(db);
  await sql`
    with former as (
      insert into runs (workspace_id, campaign_id, content_id, status, due_at, started_at, finished_at, targets, expanded, next_position, sent, delivered, read)
      select workspace_id, campaign_id, content_id, status, due_at - day * interval '1 day', started_at - day * interval '1 day',
             finished_at - day * interval '1 day', targets, expanded, next_position, sent, delivered, read
      from runs, generate_series(1, ${runs - 1}::int) day where workspace_id = ${workspaceId}
      returning run_id, started_at
    )
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id, status, sent_at, attempts, recipients, delivered, read)
    select d.workspace_id, d.account_id, f.run_id, d.position, d.group_id, d.message_id || '-' || f.run_id, d.status, f.started_at, 1, 2, 2, d.read
    from deliveries d, former f where d.workspace_id = ${workspaceId}`.execute(db);
  await sql`
    update campaigns set status = 'completed', finished_at = campanile_now(), open_runs = 0 where workspace_id = ${workspaceId}`.execute(
    db,
  );
  return campaignId;
}
