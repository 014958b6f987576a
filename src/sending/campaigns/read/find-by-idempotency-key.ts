import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { findStoredResult } from '../../../workspaces/idempotency/once.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { AcceptedCampaign } from '../accept/accept-campaign.ts';
import { noSuchCampaign } from '../store.ts';

/**
 * Returns the public id of the workspace's campaign that was added with an `Idempotency-Key`, as long as the key is remembered. `operations`
 * are those that add campaigns: a key belongs to one operation. Throws 404.
 */
export async function findByIdempotencyKey(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { key, operations }: { key: string; operations: readonly string[] },
): Promise<string> {
  const accepted = await findStoredResult<AcceptedCampaign>(db, { workspaceId, key, operations });
  if (!accepted) throw noSuchCampaign();
  return accepted.campaignId;
}
