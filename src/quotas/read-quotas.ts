import type { Database } from '../database/connect.ts';
import type { WorkspaceId } from '../database/schema.ts';
import { readUse } from './measure-use.ts';
import type { Quotas } from './quotas.ts';

/** How much of something a workspace has, and may have. */
export interface QuotaUse {
  used: number;
  limit: number;
}

export interface WorkspaceQuotas {
  storedBytes: QuotaUse;
  openCampaigns: QuotaUse;
  /** In the last 24 hours; null: the messenger of its account has no such limit. */
  createdGroups: QuotaUse | null;
}

/** What the workspace has of each thing that is limited; undefined when it is gone. */
export async function readQuotas(
  db: Database,
  workspaceId: WorkspaceId,
  quotas: Quotas,
): Promise<WorkspaceQuotas | undefined> {
  const use = await readUse(db, workspaceId, quotas.openCampaigns);
  if (!use) return undefined;
  const perDay = quotas.groupsPerDay[use.messenger];
  return {
    storedBytes: { used: use.storedBytes, limit: quotas.storedBytes },
    openCampaigns: { used: use.openCampaigns, limit: quotas.openCampaigns },
    createdGroups: perDay === undefined ? null : { used: use.groupsToday, limit: perDay },
  };
}
