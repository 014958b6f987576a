import { readCount, type Connection, type Database } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { findApproval, insertEntry, type Approval } from './approval-store.ts';

/** Of one request for approval. */
const ENTRIES_LIMIT = 200;

/** Adds a remark to the thread of a request, also of a closed one. Throws 404, and 409 at the limit of entries. */
export function writeRemark(
  { db }: { db: Database },
  actor: Actor,
  { approvalId, remark }: { approvalId: string; remark: string },
): Promise<Approval> {
  const { workspaceId, userId } = actor;
  return db.transaction().execute(async (trx) => {
    const { version, name } = await findApproval(trx, workspaceId, approvalId, { lock: true });
    await requireRoomForEntry(trx, workspaceId, approvalId);
    await insertEntry(trx, { workspaceId, approvalId, version, userId, kind: 'remark', remark });
    await recordAudit(trx, { ...actor, action: 'approval.remarked', subject: name });
    return findApproval(trx, workspaceId, approvalId);
  });
}

/** Throws 409 if the thread is full. Decisions are always possible. */
export async function requireRoomForEntry(trx: Connection, workspaceId: WorkspaceId, approvalId: string) {
  const entries = await readCount(trx)`
    select count(*) from approval_entries where workspace_id = ${workspaceId} and approval_id = ${approvalId}`;
  if (entries >= ENTRIES_LIMIT)
    throw new AppError(
      'approval_limit_reached',
      `This request has reached the limit of ${ENTRIES_LIMIT} entries. Withdraw it, and ask for approval anew.`,
    );
}
