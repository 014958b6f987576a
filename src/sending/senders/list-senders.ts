import { requireGroups } from '../groups/require-groups.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { selectRules, type SenderRule } from './store.ts';

/** Entries of the history that are read. */
const HISTORY_LIMIT = 100;

export interface SendersQuery {
  /** Null: all rules. Else only those that concern this group. */
  groupId: number | null;
  withHistory: boolean;
  limit: number;
  /** `next` of the page before; 0: from the first on. */
  after: number;
}

export interface SendersPage {
  /** Rules in force: that of the workspace, those of lists, then those of groups. */
  rules: SenderRule[];
  /** Replaced and removed rules, the newest first; undefined unless asked for. */
  history: SenderRule[] | undefined;
  /** Where the next page of rules begins; null: this was the last. */
  next: number | null;
}

/** The workspace's rules on who sends (contract §4, list-senders). Throws 404 for a group that is not the workspace's. */
export async function listSenders(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { groupId, withHistory, limit, after }: SendersQuery,
): Promise<SendersPage> {
  if (groupId !== null) await requireGroups(db, workspaceId, [groupId], 'group_metadata_id');
  const found = await selectRules(db, workspaceId, { groupId, are: 'present', limit: limit + 1, offset: after });
  const history = withHistory
    ? await selectRules(db, workspaceId, { groupId, are: 'former', limit: HISTORY_LIMIT, offset: 0 })
    : undefined;
  return { rules: found.slice(0, limit), history, next: found.length > limit ? after + limit : null };
}
