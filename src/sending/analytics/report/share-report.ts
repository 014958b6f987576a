/** Links by which anyone may read one report until they expire (docs/explanation/decisions/0101). A token is nowhere stored, only its SHA-256. */
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { assertStillMember, lockMembers } from '../../../workspaces/members/assert-still-member.ts';
import type { Database, Connection } from '../../../platform/database/statements.ts';
import { AppError, fieldError } from '../../../platform/errors/errors.ts';
import { generateToken, hashSecret } from '../../../platform/secrets/hash-secret.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { readSelection, selectReport, type Report, type ReportRequest } from './read-report.ts';
import { reportSpan } from './report-span.ts';
import { execute, readCount, readOne, readRow, readRows, sql } from '../../../platform/database/statements.ts';
import { HAS_ACTIVE_OWNER } from '../../../workspaces/members/has-active-owner.ts';
import { PERSON_NAME, type MemberName } from '../../../workspaces/members/person-name.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

const LINKS_LIMIT = 50;

export interface SharedReport {
  reportLinkId: number;
  /** Shown once. */
  token: string;
  expiresAt: Date;
}

/**
 * Creates a link to a report (contract §4, share-report). Days, campaign and groups are fixed from then on; the figures are those of
 * the moment of reading. Throws as `readReport` does, and 409 when the workspace has as many links as one may have.
 */
export async function shareReport(
  deps: { db: Database; timeZone: string },
  actor: Actor,
  { expiresInDays, ...request }: ReportRequest & { expiresInDays: number },
): Promise<SharedReport> {
  const { span, scope, groupListName } = await selectReport(deps, actor, request);
  const token = generateToken();
  return deps.db.transaction().execute(async (trx) => {
    await lockMembers(trx, actor.workspaceId);
    await assertStillMember(trx, actor, 'manager');
    const count = await readCount(trx)`
      select count(*) from report_links where workspace_id = ${actor.workspaceId} and expires_at > campanile_now()`;
    if (count >= LINKS_LIMIT)
      throw new AppError(
        'report_link_limit_reached',
        `You have reached the limit of ${LINKS_LIMIT} links to reports. Revoke one.`,
      );
    const { startDate, endDate, timeZone } = span;
    const link = await readOne<Omit<SharedReport, 'token'>>(trx)`
      insert into report_links (workspace_id, created_by, token_hash, expires_at, start_date, end_date, time_zone, campaign_id, group_list_name, group_ids, tag)
      values (${actor.workspaceId}, ${actor.userId}, ${hashSecret(token)}, campanile_now() + ${expiresInDays} * interval '1 day', ${startDate}::date,
              ${endDate}::date, ${timeZone}, ${scope.campaignId}, ${groupListName}, ${scope.groupIds}::bigint[], ${scope.tag})
      returning report_link_id as "reportLinkId", expires_at as "expiresAt"`;
    await recordAudit(trx, { ...actor, action: 'report.shared', subject: `${startDate} – ${endDate}` });
    return { ...link, token };
  });
}

/** Ends a link at once. Throws 404 for a link that the workspace does not have. */
export async function revokeReportLink({ db }: { db: Database }, actor: Actor, reportLinkId: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const affected = await execute(trx)`
      delete from report_links where workspace_id = ${actor.workspaceId} and report_link_id = ${reportLinkId}`;
    if (affected === 0)
      throw new AppError('report_link_not_found', 'You have no link to a report with this id', {
        details: [fieldError('report_link_id', 'unknown_id', { of: 'links' })],
      });
    await recordAudit(trx, { ...actor, action: 'report.revoked', subject: String(reportLinkId) });
  });
}

/**
 * Returns the report of a link, to anyone (contract §4, get-shared-report). Throws one and the same 404 for a token that is unknown,
 * malformed, expired or revoked. The caller limits how often it is called.
 */
export async function readSharedReport(
  { db, timeZone }: { db: Database; timeZone: string },
  { token, withRuns }: { token: string } & Pick<ReportRequest, 'withRuns'>,
): Promise<Report> {
  const linked = await findLinkedReport(db, hashSecret(token));
  if (!linked) throw new AppError('report_link_not_found', 'This link has expired, was revoked, or never existed');
  const { workspaceId, startDate, endDate, campaign, groupListName, groupIds, tag } = linked;
  const span = reportSpan(startDate, endDate, knownTimeZone(linked.timeZone, timeZone));
  const scope = { workspaceId, campaignId: linked.internalCampaignId, groupIds, tag };
  return readSelection({ db }, workspaceId, { span, scope, campaign, groupListName, tag }, { withRuns });
}

/** A link as its owner sees it. */
export interface ReportLink {
  reportLinkId: number;
  createdAt: Date;
  /** Null: not known. */
  createdBy: MemberName | null;
  expiresAt: Date;
  /** `YYYY-MM-DD`, both included, in `timeZone`. */
  startDate: string;
  endDate: string;
  timeZone: string;
  campaign: { campaignId: string; name: string } | null;
  groupListName: string | null;
  tag: string | null;
}

/** What a link shows, fixed when it was created. */
interface LinkedReport extends Omit<ReportLink, 'reportLinkId' | 'createdAt' | 'createdBy' | 'expiresAt'> {
  workspaceId: WorkspaceId;
  internalCampaignId: number | null;
  groupIds: number[] | null;
}

/** A link whose campaign was deleted is as good as gone. */
const VALID = sql`
  l.expires_at > campanile_now() and (l.campaign_id is null or c.campaign_id is not null)`;
const CAMPAIGN = sql`left join campaigns c on c.campaign_id = l.campaign_id and c.deleted_at is null`;
const DATES = sql`to_char(l.start_date, 'YYYY-MM-DD') as "startDate", to_char(l.end_date, 'YYYY-MM-DD') as "endDate", l.time_zone as "timeZone"`;
const CAMPAIGN_COLUMN = sql`
  case when c.campaign_id is not null then jsonb_build_object('campaignId', c.public_id, 'name', c.name) end as campaign`;

/** Returns the links of the workspace that hold, newest first. */
export function listReportLinks({ db }: { db: Database }, { workspaceId }: Actor): Promise<ReportLink[]> {
  return readRows<ReportLink>(db)`
    select l.report_link_id as "reportLinkId", l.created_at as "createdAt", l.expires_at as "expiresAt", ${DATES}, ${CAMPAIGN_COLUMN},
           l.group_list_name as "groupListName", l.tag,
           case when l.created_by is not null then jsonb_build_object('userId', l.created_by, 'userName', u.user_name, 'name', ${PERSON_NAME}) end as "createdBy"
    from report_links l ${CAMPAIGN}
    left join users u on u.user_id = l.created_by and u.deleted_at is null
    where l.workspace_id = ${workspaceId} and ${VALID} order by l.report_link_id desc`;
}

/** Returns undefined for a token that is unknown, has expired or was revoked, and while its maker is disabled, or the owner is disabled or deleted. */
async function findLinkedReport(db: Connection, tokenHash: Buffer): Promise<LinkedReport | undefined> {
  return readRow<LinkedReport>(db)`
    select l.workspace_id as "workspaceId", ${DATES}, c.campaign_id as "internalCampaignId", ${CAMPAIGN_COLUMN},
           l.group_list_name as "groupListName", l.group_ids as "groupIds", l.tag
    from report_links l
    join workspaces w on w.workspace_id = l.workspace_id
    ${CAMPAIGN}
    where l.token_hash = ${tokenHash} and ${VALID} and ${HAS_ACTIVE_OWNER}
      and not exists (select from users u where u.user_id = l.created_by and u.disabled_at is not null)`;
}
