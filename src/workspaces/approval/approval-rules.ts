/** When posts of a workspace need an approval (contract §4, approval). */
import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { ApprovalRule, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { diffValues } from '../audit/diff-values.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';

export interface ApprovalRules {
  /** `authors`: authors may ask. `all`: nobody sends to more than `overGroups` groups without an approval. */
  approval: ApprovalRule;
  overGroups: number;
  /** How many other people approve a post: 1 or 2. */
  approvers: number;
}

export async function readApprovalRules(db: Connection, workspaceId: WorkspaceId): Promise<ApprovalRules> {
  const { rows } = await sql<ApprovalRules>`
    select approval, approval_over_groups as "overGroups", approvers_needed as approvers
    from workspaces where workspace_id = ${workspaceId}`.execute(db);
  return rows[0] ?? { approval: 'never', overGroups: 0, approvers: 1 };
}

/** Changes what is given, and returns the rules. Posts that were accepted before are sent as they were accepted. */
export function changeApprovalRules(
  { db }: { db: Database },
  actor: Actor,
  change: { [Name in keyof ApprovalRules]: ApprovalRules[Name] | undefined },
): Promise<ApprovalRules> {
  return db.transaction().execute(async (trx) => {
    await sql`select from workspaces where workspace_id = ${actor.workspaceId} for no key update`.execute(trx);
    const before = await readApprovalRules(trx, actor.workspaceId);
    const rules: ApprovalRules = {
      approval: change.approval ?? before.approval,
      overGroups: change.overGroups ?? before.overGroups,
      approvers: change.approvers ?? before.approvers,
    };
    await sql`
      update workspaces
      set approval = ${rules.approval}, approval_over_groups = ${rules.overGroups}, approvers_needed = ${rules.approvers}
      where workspace_id = ${actor.workspaceId}`.execute(trx);
    const changes = diffValues(toFields(before), toFields(rules));
    await recordAudit(trx, { ...actor, action: 'approval.rules_changed', subject: rules.approval, changes });
    return rules;
  });
}

/** As requests name them. */
function toFields({ approval, overGroups, approvers }: ApprovalRules) {
  return { approval, over_groups: overGroups, approvers };
}

/**
 * Throws 409 where a post to so many groups needs an approval, whoever sends it. Call it in the transaction of everything that decides what
 * groups get to see, or when: of what an approval binds (contract §4).
 */
export async function requireNoApproval(trx: Connection, workspaceId: WorkspaceId, groups: number): Promise<void> {
  const { approval, overGroups } = await readApprovalRules(trx, workspaceId);
  if (approval !== 'all' || groups <= overGroups) return;
  const which = overGroups === 0 ? 'every post' : `a post to more than ${overGroups} groups`;
  throw new AppError(
    'approval_required',
    `In this workspace ${which} needs the approval of another member: ask for it with request-approval. To change an accepted campaign, cancel it and ask for approval of a copy.`,
  );
}
