/** The SQL of the links to reports. A token is nowhere stored, only its SHA-256. */
import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { UserId, WorkspaceId } from '../../../platform/database/schema.ts';
import { clearOldRows } from '../../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../../platform/database/quarantine.ts';

/** A link as its owner sees it. */
export interface ReportLink {
  reportLinkId: number;
  createdAt: Date;
  /** Null: not known. */
  createdBy: { userId: UserId; userName: string | null } | null;
  expiresAt: Date;
  /** `YYYY-MM-DD`, both included, in `timeZone`. */
  startDate: string;
  endDate: string;
  timeZone: string;
  campaign: { campaignId: string; name: string } | null;
  groupListName: string | null;
}

/** What a link shows, fixed when it was created. */
export interface LinkedReport {
  workspaceId: WorkspaceId;
  startDate: string;
  endDate: string;
  timeZone: string;
  internalCampaignId: number | null;
  campaign: ReportLink['campaign'];
  groupListName: string | null;
  groupIds: number[] | null;
}

export interface NewReportLink {
  createdBy: UserId;
  tokenHash: Buffer;
  expiresInDays: number;
  startDate: string;
  endDate: string;
  timeZone: string;
  campaignId: number | null;
  groupListName: string | null;
  groupIds: readonly number[] | null;
}

/** A link whose campaign was deleted is as good as gone. */
const VALID = sql`
  l.expires_at > campanile_now() and (l.campaign_id is null or c.campaign_id is not null)`;
const CAMPAIGN = sql`left join campaigns c on c.campaign_id = l.campaign_id and c.deleted_at is null`;
const DATES = sql`to_char(l.start_date, 'YYYY-MM-DD') as "startDate", to_char(l.end_date, 'YYYY-MM-DD') as "endDate", l.time_zone as "timeZone"`;
const CAMPAIGN_COLUMN = sql`
  case when c.campaign_id is not null then jsonb_build_object('campaignId', c.public_id, 'name', c.name) end as campaign`;

/** Locks the workspace until the transaction ends, so that two links cannot both be the last one allowed. Returns the number of its links. */
export async function countLinks(trx: Connection, workspaceId: WorkspaceId): Promise<number> {
  await sql`select from workspaces where workspace_id = ${workspaceId} for no key update`.execute(trx);
  const { rows } = await sql<{ links: number }>`
    select count(*)::int as links from report_links where workspace_id = ${workspaceId} and expires_at > campanile_now()`.execute(
    trx,
  );
  return rows[0]?.links ?? 0;
}

export async function insertLink(
  trx: Connection,
  workspaceId: WorkspaceId,
  link: NewReportLink,
): Promise<{ reportLinkId: number; expiresAt: Date }> {
  const { rows } = await sql<{ reportLinkId: number; expiresAt: Date }>`
    insert into report_links (workspace_id, created_by, token_hash, expires_at, start_date, end_date, time_zone, campaign_id, group_list_name, group_ids)
    values (${workspaceId}, ${link.createdBy}, ${link.tokenHash}, campanile_now() + ${link.expiresInDays} * interval '1 day', ${link.startDate}::date,
            ${link.endDate}::date, ${link.timeZone}, ${link.campaignId}, ${link.groupListName}, ${link.groupIds}::bigint[])
    returning report_link_id as "reportLinkId", expires_at as "expiresAt"`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error('a link was not inserted');
  return row;
}

/** Newest first. */
export async function selectLinks(db: Connection, workspaceId: WorkspaceId): Promise<ReportLink[]> {
  const { rows } = await sql<ReportLink>`
    select l.report_link_id as "reportLinkId", l.created_at as "createdAt", l.expires_at as "expiresAt", ${DATES}, ${CAMPAIGN_COLUMN},
           l.group_list_name as "groupListName",
           case when l.created_by is not null then jsonb_build_object('userId', l.created_by, 'userName', u.user_name) end as "createdBy"
    from report_links l ${CAMPAIGN}
    left join users u on u.user_id = l.created_by and u.deleted_at is null
    where l.workspace_id = ${workspaceId} and ${VALID} order by l.report_link_id desc`.execute(db);
  return rows;
}

/** Returns whether the workspace had the link. */
export async function deleteLink(trx: Connection, workspaceId: WorkspaceId, reportLinkId: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from report_links where workspace_id = ${workspaceId} and report_link_id = ${reportLinkId}`.execute(trx);
  return numAffectedRows > 0n;
}

/** Returns undefined for a token that is unknown, has expired or was revoked, and while its maker is disabled, or the owner is disabled or deleted. */
export async function findLinkedReport(db: Connection, tokenHash: Buffer): Promise<LinkedReport | undefined> {
  const { rows } = await sql<LinkedReport>`
    select l.workspace_id as "workspaceId", ${DATES}, c.campaign_id as "internalCampaignId", ${CAMPAIGN_COLUMN},
           l.group_list_name as "groupListName", l.group_ids as "groupIds"
    from report_links l
    join workspaces w on w.workspace_id = l.workspace_id
    ${CAMPAIGN}
    where l.token_hash = ${tokenHash} and ${VALID} and exists (
      select from memberships m join users u on u.user_id = m.user_id
      where m.workspace_id = coalesce(w.test_of, w.workspace_id) and m.role = 'owner' and u.deleted_at is null and u.disabled_at is null)
      and not exists (select from users u where u.user_id = l.created_by and u.disabled_at is not null)`.execute(db);
  return rows[0];
}

export function clearExpiredLinks(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.expires_at <= campanile_now()`;
  return clearOldRows(deps, { table: 'report_links', owner: 'workspace_id', isOld });
}
