import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import { selectGroupLists, type GroupList } from './group-list-store.ts';

/** All of the workspace's saved lists, in order of their names (contract §4, list-group-lists). */
export async function listGroupLists({ db }: { db: Database }, { workspaceId }: Actor): Promise<GroupList[]> {
  return selectGroupLists(db, workspaceId);
}
