import type { Database } from '../../platform/database/statements.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { changeOwnData, diffOwnData, type OwnData } from '../accounts/own-data.ts';
import { lockOwnLedger } from '../accounts/store.ts';
import { readGroupHead } from './store.ts';

/**
 * Keeps an id and texts of a program with a group, also with one that is gone, which may come back (contract §4, update-group). Throws 404
 * for one that is not the workspace's, 409 if another one has the id.
 */
export async function updateGroup(
  { db }: { db: Database },
  actor: Actor,
  { groupId, ...own }: OwnData & { groupId: number },
): Promise<void> {
  const { workspaceId } = actor;
  await db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, workspaceId);
    const before = await readGroupHead(trx, workspaceId, groupId);
    await changeOwnData(trx, 'group', { workspaceId, id: groupId }, own);
    const changes = diffOwnData(before, own);
    await recordAudit(trx, { ...actor, action: 'group.updated', subject: before.name, changes });
  });
}
