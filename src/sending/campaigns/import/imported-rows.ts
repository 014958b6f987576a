/** Campaigns that were planned from rows of a sheet: the plan and the key tell which one is that of a row. */
import { STORED_EXTRAS } from '../../../content/post/stored-extras.ts';
import type { Template } from '../../../content/post/fill-post.ts';
import type { RunStatus, WorkspaceId } from '../../../platform/database/schema.ts';
import { execute, readRows, type Connection } from '../../../platform/database/statements.ts';
import type { NewCampaign } from '../store.ts';
import { TAGS } from '../tags.ts';
import { startScheduled } from '../accept/add-scheduled-campaign.ts';
import type { Start } from '../accept/accept-campaign.ts';

/** The campaign of a row, as it is planned now. */
export interface ImportedRow extends Pick<
  NewCampaign,
  'name' | 'description' | 'html' | 'mediaId' | 'extras' | 'groupIds'
> {
  key: string;
  campaignId: string;
  /** `YYYY-MM-DD`. */
  startDate: string | null;
  endDate: string | null;
  /** `HH:MM:SS`. */
  time: string | null;
  timeZone: string | null;
  /** A person gave it one; rows have none. */
  recurrence: string | null;
  template: Template | null;
  /** A field of it is gone, or its name is that of another field now. */
  isBoundOtherwise: boolean;
  tags: string[];
  /** When its next run is due; null: none is planned. */
  dueAt: Date | null;
  /** Of its first run that is not planned any more; null: all are. */
  begun: Exclude<RunStatus, 'planned'> | null;
}

/** Returns the campaigns of these rows that the workspace has. */
export async function readImportedRows(
  db: Connection,
  { workspaceId, plan, keys }: { workspaceId: WorkspaceId; plan: string; keys: readonly string[] },
): Promise<Map<string, ImportedRow>> {
  const rows = await readRows<ImportedRow>(db)`
    select c.import_key as key, c.public_id as "campaignId", c.name, c.description, c.start_date as "startDate",
           c.end_date as "endDate", c.schedule_time as time, c.time_zone as "timeZone", c.recurrence, t.html, t.media_id as "mediaId",
           t.template, exists (
             select from jsonb_each(t.template -> 'fields') b (key, field), lateral (select (field ->> 'fieldId')::bigint as id) bound
             where bound.id <> coalesce(
                     (select f.field_id from fields f where f.workspace_id = c.workspace_id and f.folded_name = b.key),
                     (select f.field_id from fields f where f.field_id = bound.id), 0)) as "isBoundOtherwise",
           ${STORED_EXTRAS} as extras, ${TAGS} as tags, t.group_ids as "groupIds",
           (select min(r.due_at) from runs r where r.campaign_id = c.campaign_id and r.status = 'planned') as "dueAt",
           (select r.status from runs r where r.campaign_id = c.campaign_id and r.status <> 'planned'
            order by r.run_id limit 1) as begun
    from campaigns c join contents t on t.content_id = c.content_id
    where c.workspace_id = ${workspaceId} and c.import_plan = ${plan} and c.import_key = any(${[...keys]}::text[])
      and c.deleted_at is null`;
  return new Map(rows.map((row) => [row.key, row]));
}

type GoneRow = Pick<ImportedRow, 'key' | 'campaignId' | 'name' | 'dueAt' | 'timeZone'>;

/** Returns the campaigns of the plan that have none of these keys and of which no run has begun, those due first at the front. */
export function readGoneRows(
  db: Connection,
  {
    workspaceId,
    plan,
    keys,
    limit,
  }: { workspaceId: WorkspaceId; plan: string; keys: readonly string[]; limit: number },
): Promise<GoneRow[]> {
  return readRows<GoneRow>(db)`
    select c.import_key as key, c.public_id as "campaignId", c.name, c.time_zone as "timeZone", min(r.due_at) as "dueAt"
    from campaigns c join runs r on r.campaign_id = c.campaign_id
    where c.workspace_id = ${workspaceId} and c.import_plan = ${plan} and c.import_key <> all(${[...keys]}::text[])
      and c.deleted_at is null and c.finished_at is null
    group by c.campaign_id having bool_and(r.status = 'planned')
    order by min(r.due_at), c.campaign_id limit ${limit}`;
}

/** Another request has planned the row at the same moment. */
export class RowPlannedError extends Error {}

/** Starts a scheduled campaign as that of a row. Throws a RowPlannedError, which undoes all of it, if the row has one by now. */
export function startRow(plan: string, key: string): Start {
  return async (trx, stored) => {
    // The ledger is locked: nobody plans a row of the workspace meanwhile.
    const first = await readImportedRows(trx, { workspaceId: stored.workspaceId, plan, keys: [key] });
    if (first.size > 0) throw new RowPlannedError();
    await execute(trx)`
      update campaigns set import_plan = ${plan}, import_key = ${key} where campaign_id = ${stored.campaignId}`;
    await startScheduled(trx, stored);
  };
}

/** Lets the row of a campaign plan another one. */
export async function releaseRow(trx: Connection, campaignId: number): Promise<void> {
  await execute(trx)`update campaigns set import_plan = null, import_key = null where campaign_id = ${campaignId}`;
}
