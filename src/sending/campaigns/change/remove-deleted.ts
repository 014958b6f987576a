import { sql } from 'kysely';
import { lockLedger } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import { removeCampaignActivity } from '../../groups/update-activity.ts';
import { removePosts } from './remove-posts.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** So long live progress reports that the campaign is gone. */
const HUSK_DAYS = 2;
/** Rows a step: few where a row is large. */
const SUMS_CHUNK = 5_000;
const CONTENTS_CHUNK = 20;
const RUN_TABLES = [
  'deliveries',
  'revisions',
  'pins',
  'everyone_mentions',
  'members_without_devices',
  'receipts',
  'votes',
  'provisional_receipts',
  'run_minutes',
  'poll_results',
  'poll_hours',
] as const;

interface Deleted {
  workspaceId: WorkspaceId;
  campaignId: number;
}

/**
 * Removes the next rows of deleted campaigns: their share of the activity first, then deliveries, receipts, sums, contents, and after two
 * days the campaign. Files that no other campaign has are removed with the unused ones. False when there is nothing to do. Any number of
 * processes may call it, and stop in between.
 */
export async function removeDeleted(db: Database, log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'deleted campaigns');
  const { rows } = await sql<Deleted>`
    select c.workspace_id as "workspaceId", c.campaign_id as "campaignId"
    from campaigns c join workspace_ledgers l on l.workspace_id = c.workspace_id
    where c.deleted_at is not null and c.workspace_id <> all(${held}::bigint[])
      -- What it says goes last, but for itself.
      and (c.deleted_at <= campanile_now() - ${HUSK_DAYS} * interval '1 day'
           or exists (select from contents t where t.campaign_id = c.campaign_id))
      -- What was queued, or in hand, when it was cancelled is about to be written down.
      and not exists (select from runs r where r.campaign_id = c.campaign_id and r.dropping)
      and not exists (
        select from lanes o join runs r on r.workspace_id = c.workspace_id and r.run_id = o.in_hand_run_id and r.campaign_id = c.campaign_id
        where o.workspace_id = c.workspace_id)
    order by c.deleted_at limit 1`.execute(db);
  await isolateEach({ db, log }, 'deleted campaigns', rows, {
    idOf: ({ workspaceId }) => workspaceId,
    run: (deleted) =>
      db.transaction().execute(async (trx) => {
        if (await lockLedger(trx, deleted.workspaceId)) await removeNext(trx, deleted);
      }),
  });
  return rows.length > 0;
}

async function removeNext(trx: Connection, { workspaceId, campaignId }: Deleted): Promise<void> {
  if (await removeCampaignActivity(trx, workspaceId, campaignId)) return;
  // Deliveries first: what members go on doing about posts that are gone is counted no more.
  if (await removePosts(trx, campaignId, RUN_TABLES)) return;
  for (const table of ['group_sums', 'time_sums']) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where workspace_id = ${workspaceId} and campaign_id = ${campaignId} limit ${SUMS_CHUNK}))`.execute(
      trx,
    );
    if (numAffectedRows > 0n) return;
  }
  const { numAffectedRows = 0n } = await sql`
    delete from contents where content_id = any(array(
      select content_id from contents where campaign_id = ${campaignId} limit ${CONTENTS_CHUNK}))`.execute(trx);
  if (numAffectedRows > 0n) return;
  // With its runs, some hundreds at most.
  await sql`
    delete from campaigns
    where campaign_id = ${campaignId} and deleted_at <= campanile_now() - ${HUSK_DAYS} * interval '1 day'`.execute(trx);
}
