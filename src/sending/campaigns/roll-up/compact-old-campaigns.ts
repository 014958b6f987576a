import { execute, readRows, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import { removePosts } from '../change/remove-deleted.ts';
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
  const rows = await readRows<OldCampaign>(db)`
    select c.workspace_id as "workspaceId", c.campaign_id as "campaignId", c.folded_at is not null as "isFlagged"
    from campaigns c join workspace_ledgers l on l.workspace_id = c.workspace_id
    where c.finished_at <= ${endedBefore} and not c.folded and c.deleted_at is null and c.workspace_id <> all(${held}::bigint[])
      and not exists (select from runs r where r.campaign_id = c.campaign_id
        and (r.summed < r.expanded or r.in_activity > 0 or r.dropping or not r.receipts_dropped))
      -- A recall that was asked for before comes first.
      and not exists (select from runs r join revision_requests q on q.workspace_id = r.workspace_id and q.run_id = r.run_id
                      where r.campaign_id = c.campaign_id and q.next_position is not null)
    order by c.finished_at limit 1`;
  return workInLedgers({ db, log }, 'old campaigns', rows, (trx, old) => foldOne(trx, old, endedBefore));
}

async function foldOne(trx: Connection, old: OldCampaign, endedBefore: RawBuilder<unknown>): Promise<void> {
  if (old.isFlagged) {
    if (await removePosts(trx, old.campaignId, POST_TABLES)) return;
    await execute(trx)`update campaigns set folded = true where campaign_id = ${old.campaignId}`;
    return;
  }
  // A retry may have opened it again.
  await execute(trx)`
    update campaigns set folded_at = campanile_now()
    where campaign_id = ${old.campaignId} and finished_at <= ${endedBefore}`;
}

const POST_TABLES = [
  'revisions',
  'pins',
  'everyone_mentions',
  'members_without_devices',
  'delivery_values',
  'deliveries',
] as const;
