/** The events of requests for approval (transactional outbox). Call these in the transaction of the change. */
import { readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import type { Decision } from '../../workspaces/events/decisions.ts';
import { writeEvent } from '../../workspaces/events/write-event.ts';
import { findApproval, type ApprovalHead } from './approval-store.ts';

/** What a request came to, for those who watch. */
export interface Decided {
  decision: Decision;
  /** Null: nobody decided in time. */
  decidedBy: UserId | null;
}

export async function writeWaiting(trx: Connection, workspaceId: WorkspaceId, head: ApprovalHead): Promise<void> {
  await writeEvent(trx, { workspaceId, type: 'campaign.waiting', data: toData(head) });
}

export async function writeDecided(
  trx: Connection,
  workspaceId: WorkspaceId,
  head: ApprovalHead,
  { decision, decidedBy }: Decided,
): Promise<void> {
  const data = { ...toData(head), decision, decided_by: decidedBy, campaign_id: head.campaignId };
  await writeEvent(trx, { workspaceId, type: 'campaign.decided', data });
}

function toData({ approvalId, name, version, groupCount, firstDueAt, askedBy }: ApprovalHead) {
  return {
    approval_id: approvalId,
    name,
    version,
    group_count: groupCount,
    first_due_at: firstDueAt?.toISOString() ?? null,
    asked_by: askedBy,
  };
}

const STEP = 100;

/**
 * Gives posts back whose time passed while they waited, and writes the event. Until then they read as given back, and nobody can approve
 * them: this only tells the people. Returns whether there may be more.
 */
export function giveBackLate(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const rows = await readRows<{ workspaceId: WorkspaceId; approvalId: string }>(trx)`
      update approvals set state = 'changes_requested', judged = post, updated_at = campanile_now()
      where ctid = any(array(
        select ctid from approvals
        where state = 'waiting' and first_due_at <= campanile_now() limit ${STEP} for update skip locked))
      returning workspace_id as "workspaceId", approval_id as "approvalId"`;
    for (const { workspaceId, approvalId } of rows) {
      const head = await findApproval(trx, workspaceId, approvalId);
      await writeDecided(trx, workspaceId, head, { decision: 'time_passed', decidedBy: null });
    }
    return rows.length === STEP;
  });
}
