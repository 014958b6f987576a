import { sql, type RawBuilder } from 'kysely';
import { lockLedger } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import { removePosts } from '../change/remove-posts.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

interface OldCampaign {
  workspaceId: WorkspaceId;
  campaignId: number;
  isFlagged: boolean;
}

/**
 * Compacts campaigns that ended `retentionDays` ago, a small step a call: flags one, so that it can no longer be retried, recalled or
 * corrected, or removes some of its deliveries and revisions, which are all in its sums. Waits until the receipts of its runs are gone
 * (`receipts/fold-receipts.ts`): a second id of a reader would be taken off the runs, and not off the sums. False when there is nothing
 * to do. Any number of processes may call it, and stop in between.
 */
export async function compactOldCampaigns(db: Database, retentionDays: number, log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'old campaigns');
  const endedBefore = sql`campanile_now() - ${retentionDays} * interval '1 day'`;
  const { rows } = await sql<OldCampaign>`
    select c.workspace_id as "workspaceId", c.campaign_id as "campaignId", c.folded_at is not null as "isFlagged"
    from campaigns c join workspace_ledgers l on l.workspace_id = c.workspace_id
    where c.finished_at <= ${endedBefore} and not c.folded and c.deleted_at is null and c.workspace_id <> all(${held}::bigint[])
      and not exists (select from runs r where r.campaign_id = c.campaign_id
        and (r.summed < r.expanded or r.in_activity > 0 or r.dropping or not r.receipts_dropped))
      -- A recall that was asked for before comes first.
      and not exists (select from runs r join revision_requests q on q.workspace_id = r.workspace_id and q.run_id = r.run_id
                      where r.campaign_id = c.campaign_id and q.next_position is not null)
    order by c.finished_at limit 1`.execute(db);
  await isolateEach({ db, log }, 'old campaigns', rows, {
    idOf: ({ workspaceId }) => workspaceId,
    run: (old) => db.transaction().execute((trx) => foldOne(trx, old, endedBefore)),
  });
  return rows.length > 0;
}

async function foldOne(trx: Connection, old: OldCampaign, endedBefore: RawBuilder<unknown>): Promise<void> {
  if (!(await lockLedger(trx, old.workspaceId))) return;
  if (old.isFlagged) return compact(trx, old.campaignId);
  // A retry may have opened it again.
  await sql`
    update campaigns set folded_at = campanile_now()
    where campaign_id = ${old.campaignId} and finished_at <= ${endedBefore}`.execute(trx);
}

const POST_TABLES = ['revisions', 'pins', 'everyone_mentions', 'members_without_devices', 'deliveries'] as const;

async function compact(trx: Connection, campaignId: number): Promise<void> {
  if (await removePosts(trx, campaignId, POST_TABLES)) return;
  await sql`update campaigns set folded = true where campaign_id = ${campaignId}`.execute(trx);
}
