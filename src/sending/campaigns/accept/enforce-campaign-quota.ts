import type { Connection } from '../../../platform/database/connect.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { countOpenCampaigns } from '../../../workspaces/quotas/measure-use.ts';
import type { Quotas } from '../../../workspaces/quotas/quotas.ts';

/**
 * Throws 409 when the account has as many campaigns under way or planned as it may have. Its lane must be locked, so that of two that
 * come at once the second counts the first.
 */
export async function enforceCampaignQuota(
  trx: Connection,
  accountId: number,
  { openCampaigns: most }: Pick<Quotas, 'openCampaigns'>,
): Promise<void> {
  if ((await countOpenCampaigns(trx, accountId, most)) < most) return;
  const many = most.toLocaleString('en');
  throw new AppError(
    'campaign_limit_reached',
    `You have reached the limit of ${many} campaigns under way or planned. Cancel one, or wait for the end of one.`,
  );
}
