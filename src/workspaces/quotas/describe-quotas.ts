import { sql, type RawBuilder } from 'kysely';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { Quotas } from './quotas.ts';

export interface QuotaUse {
  used: number;
  limit: number;
}

export interface WorkspaceQuotas {
  storedBytes: QuotaUse;
  campaigns: QuotaUse;
  /** In the last 24 hours; null: the messenger of its account has no such limit. */
  groupsCreated: QuotaUse | null;
}

/** The row of `selectUse`; all null when the workspace is gone. */
export interface Use {
  stored_bytes: number | null;
  messenger: string | null;
  open_campaigns: number | null;
  groups_today: number | null;
}

/** A join for the use of all quotas of a workspace: one row of `Use`, or none. */
export function selectUse(workspaceId: WorkspaceId, quotas: Quotas): RawBuilder<unknown> {
  return sql`measure_use(${workspaceId}, ${quotas.openCampaigns})`;
}

/** Undefined when the workspace is gone. */
export function describeQuotas(use: Use, quotas: Quotas): WorkspaceQuotas | undefined {
  if (use.messenger === null) return undefined;
  const perDay = quotas.groupsPerDay[use.messenger];
  return {
    storedBytes: { used: use.stored_bytes ?? 0, limit: quotas.storedBytes },
    campaigns: { used: use.open_campaigns ?? 0, limit: quotas.openCampaigns },
    groupsCreated: perDay === undefined ? null : { used: use.groups_today ?? 0, limit: perDay },
  };
}
