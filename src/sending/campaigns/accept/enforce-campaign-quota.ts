import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import type { Quotas } from '../../../workspaces/quotas/quotas.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/**
 * Returns the instant of the database's clock. Throws 409 when the workspace has as many campaigns under way or planned as it may have. Its
 * ledger must be locked, so that of two that come at once the second counts the first. Never more than the limit of index entries are read,
 * and nothing is counted twice that could drift apart (docs/explanation/decisions/0044-give-each-workspace-its-share.md).
 */
export async function enforceCampaignQuota(
  trx: Connection,
  workspaceId: WorkspaceId,
  { openCampaigns: most }: Pick<Quotas, 'openCampaigns'>,
): Promise<Date> {
  // One statement: every campaign needs both.
  const { rows } = await sql<{ now: Date; open: number }>`
    select campanile_now() as now, count(*)::int as open from (
      select from campaigns
      where workspace_id = ${workspaceId} and coalesce(deleted_at, finished_at, 'infinity'::timestamptz) = 'infinity'
      limit ${most}
    ) c`.execute(trx);
  const { now, open } = rows[0] ?? { now: new Date(Number.NaN), open: 0 };
  if (open < most) return now;
  const many = most.toLocaleString('en');
  throw new AppError(
    'campaign_limit_reached',
    `You have reached the limit of ${many} campaigns under way or planned. Cancel one, or wait for the end of one.`,
  );
}
