/** What happens when an account of a workspace cannot send (contract §4, several accounts). */
import { execute, readRow, type Connection, type Database } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { diffValues } from '../audit/diff-values.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';

export interface FailoverRules {
  /** After how many minutes its stand-ins send what it has not sent; null: a notice asks the owner. */
  failoverMinutes: number | null;
  /** Whether what has not been sent returns to the account by itself, once it can send again. */
  failsBack: boolean;
}

/** Values that are undefined stay as they are. */
export type FailoverChange = { [Name in keyof FailoverRules]: FailoverRules[Name] | undefined };

export async function readFailoverRules(db: Connection, workspaceId: WorkspaceId): Promise<FailoverRules> {
  const row = await readRow<FailoverRules>(db)`
    select failover_minutes as "failoverMinutes", fails_back as "failsBack"
    from workspaces where workspace_id = ${workspaceId}`;
  return row ?? { failoverMinutes: null, failsBack: true };
}

/** Changes what is given, and returns the rules. Records an entry only if a value changed. */
export function changeFailoverRules(
  { db }: { db: Database },
  actor: Actor,
  change: FailoverChange,
): Promise<FailoverRules> {
  return db.transaction().execute(async (trx) => {
    await execute(trx)`select from workspaces where workspace_id = ${actor.workspaceId} for no key update`;
    const before = await readFailoverRules(trx, actor.workspaceId);
    const after = {
      failoverMinutes: change.failoverMinutes === undefined ? before.failoverMinutes : change.failoverMinutes,
      failsBack: change.failsBack ?? before.failsBack,
    };
    const changes = diffValues(toFields(before), toFields(after));
    if (changes.length === 0) return before;
    await execute(trx)`
      update workspaces set failover_minutes = ${after.failoverMinutes}::int, fails_back = ${after.failsBack}
      where workspace_id = ${actor.workspaceId}`;
    await recordAudit(trx, { ...actor, action: 'workspace.changed', subject: '', changes });
    return after;
  });
}

/** As requests name them. */
function toFields({ failoverMinutes, failsBack }: FailoverRules) {
  return { failover_minutes: failoverMinutes ?? 'ask', fails_back: failsBack };
}
