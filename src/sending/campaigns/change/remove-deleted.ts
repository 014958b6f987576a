import { execute, readRows, sql, type Connection, type Database } from '../../../platform/database/statements.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import { removeCampaignActivity } from '../../groups/update-activity.ts';
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
  'delivery_values',
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
  const rows = await readRows<Deleted>(db)`
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
    order by c.deleted_at limit 1`;
  return workInLedgers({ db, log }, 'deleted campaigns', rows, removeNext);
}

async function removeNext(trx: Connection, { workspaceId, campaignId }: Deleted): Promise<void> {
  if (await removeCampaignActivity(trx, workspaceId, campaignId)) return;
  // Deliveries first: what members go on doing about posts that are gone is counted no more.
  if (await removePosts(trx, campaignId, RUN_TABLES)) return;
  for (const table of ['group_sums', 'time_sums']) {
    const affected = await execute(trx)`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where workspace_id = ${workspaceId} and campaign_id = ${campaignId} limit ${SUMS_CHUNK}))`;
    if (affected > 0) return;
  }
  const affected = await execute(trx)`
    delete from contents where content_id = any(array(
      select content_id from contents where campaign_id = ${campaignId} limit ${CONTENTS_CHUNK}))`;
  if (affected > 0) return;
  // With its runs, some hundreds at most.
  await execute(trx)`
    delete from campaigns
    where campaign_id = ${campaignId} and deleted_at <= campanile_now() - ${HUSK_DAYS} * interval '1 day'`;
}

/** Rows a step, so that none holds the lane for long. */
const CHUNK = 5_000;

/** What hangs on a campaign by its runs. */
export type RunTable = (typeof RUN_TABLES)[number];

/**
 * Removes the next rows of the first of these tables that has any of the campaign; false when none has. Latest run first: if a post turns
 * out to have been sent, the errors of earlier runs still exist. The ledger must be locked.
 */
export async function removePosts(trx: Connection, campaignId: number, tables: readonly RunTable[]): Promise<boolean> {
  for (const table of tables) {
    const affected = await execute(trx)`
      delete from ${sql.table(table)} where ctid = any(array(
        select t.row from (select workspace_id, run_id from runs where campaign_id = ${campaignId} order by run_id desc offset 0) r
        cross join lateral (
          select ctid as row from ${sql.table(table)} q where q.workspace_id = r.workspace_id and q.run_id = r.run_id limit ${CHUNK}) t
        limit ${CHUNK}))`;
    if (affected > 0) return true;
  }
  return false;
}
