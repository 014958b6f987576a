import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import { removeGroupList } from './group-list-store.ts';

/** Removes a saved list; its groups stay (contract §4, delete-group-list). Throws 404 for one that is not the workspace's. */
export async function deleteGroupList({ db }: { db: Database }, actor: Actor, groupListId: number): Promise<void> {
  const { workspaceId } = actor;
  await db.transaction().execute(async (trx) => {
    const name = await removeGroupList(trx, workspaceId, groupListId);
    await recordAudit(trx, { ...actor, action: 'group_list.deleted', subject: name });
  });
}
