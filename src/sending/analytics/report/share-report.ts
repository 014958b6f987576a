/** Links by which anyone may read one report until they expire (docs/explanation/decisions/0101). */
import { randomBytes } from 'node:crypto';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { assertStillMember, lockMembers } from '../../../workspaces/members/assert-still-member.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { fieldError } from '../../../platform/errors/issues.ts';
import { hashSecret } from '../../../platform/secrets/hash-secret.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { countLinks, deleteLink, findLinkedReport, insertLink, selectLinks, type ReportLink } from './link-store.ts';
import { readSelection, selectReport, type Report, type ReportRequest } from './read-report.ts';
import { reportSpan } from './report-span.ts';

const LINKS_LIMIT = 50;
/** 256 bits: nobody guesses one. */
const TOKEN_BYTES = 32;

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
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return deps.db.transaction().execute(async (trx) => {
    await lockMembers(trx, actor.workspaceId);
    await assertStillMember(trx, actor, 'manager');
    if ((await countLinks(trx, actor.workspaceId)) >= LINKS_LIMIT)
      throw new AppError(
        'report_link_limit_reached',
        `You have reached the limit of ${LINKS_LIMIT} links to reports. Revoke one.`,
      );
    const { startDate, endDate, timeZone } = span;
    const link = await insertLink(trx, actor.workspaceId, {
      createdBy: actor.userId,
      tokenHash: hashSecret(token),
      expiresInDays,
      startDate,
      endDate,
      timeZone,
      groupListName,
      campaignId: scope.campaignId,
      groupIds: scope.groupIds,
    });
    await recordAudit(trx, { ...actor, action: 'report.shared', subject: `${startDate} – ${endDate}` });
    return { ...link, token };
  });
}

/** Returns the links of the workspace that hold, newest first. */
export function listReportLinks({ db }: { db: Database }, { workspaceId }: Actor): Promise<ReportLink[]> {
  return selectLinks(db, workspaceId);
}

/** Ends a link at once. Throws 404 for a link that the workspace does not have. */
export async function revokeReportLink({ db }: { db: Database }, actor: Actor, reportLinkId: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await deleteLink(trx, actor.workspaceId, reportLinkId)))
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
  token: string,
): Promise<Report> {
  const linked = await findLinkedReport(db, hashSecret(token));
  if (!linked) throw new AppError('report_link_not_found', 'This link has expired, was revoked, or never existed');
  const { workspaceId, startDate, endDate, campaign, groupListName, groupIds } = linked;
  return readSelection({ db }, workspaceId, {
    span: reportSpan(startDate, endDate, knownTimeZone(linked.timeZone, timeZone)),
    scope: { workspaceId, campaignId: linked.internalCampaignId, groupIds },
    campaign,
    groupListName,
  });
}
