import { sql, type RawBuilder } from 'kysely';
import type { WorkspaceId, AccountId } from '../../platform/database/schema.ts';
import { readOne, type Connection } from '../../platform/database/statements.ts';

/** The limits of each workspace on shared resources (contract §2). */
export interface Quotas {
  /** Bytes of the workspace's stored files. */
  storedBytes: number;
  /** Campaigns under way or planned. */
  openCampaigns: number;
  /** Groups, communities and channels created within 24 hours, by the messenger; where one is not named there is no limit. */
  groupsPerDay: Readonly<Partial<Record<string, number>>>;
  accounts: number;
}

/** The default limits. */
export const QUOTAS: Quotas = {
  storedBytes: 2 * 1024 ** 3,
  openCampaigns: 10_000,
  groupsPerDay: { whatsapp: 100 },
  accounts: 10,
};

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

/** Counts the groups that an account created in the last 24 hours, attempts under way included, certain failures excluded. */
export function countCreatedGroups(db: Connection, accountId: AccountId) {
  return readOne<{ count: number; oldestAgeSeconds: number }>(db)`
    select created as count, oldest_seconds as "oldestAgeSeconds" from count_created(${accountId})`;
}
