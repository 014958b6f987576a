import { execute, readColumn, readRow, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { findAccountsOfOwner, lockLane, lockLedger, wakeLane } from './store.ts';

/** The condition that the owner of the workspace of this row is enabled: one lookup for each row. */
export const hasEnabledOwner = (row: RawBuilder<unknown>): RawBuilder<boolean> => sql`(
  select a.disabled_at from accounts a where a.workspace_id = ${row}.workspace_id and a.disabled_at is not null limit 1) is null`;

/**
 * Disables the accounts of a workspace and of its test workspace with their owner, or enables them, in the transaction that does so with
 * the owner, before it locks the user. At most the turn in hand of a disabled account still leaves. An account in quarantine stays so.
 */
export async function setAccountsDisabled(
  trx: Connection,
  workspaceId: WorkspaceId,
  isDisabled: boolean,
): Promise<void> {
  const workspaceIds = await readColumn<WorkspaceId>(trx)`
    select workspace_id from workspaces where workspace_id = ${workspaceId} or test_of = ${workspaceId} order by 1`;
  for (const id of workspaceIds) await lockLedger(trx, id);
  for (const accountId of await findAccountsOfOwner(trx, workspaceId)) {
    if (!(await lockLane(trx, accountId))) continue;
    const account = await readRow<{ heldUntil: string }>(trx)`
      update accounts set disabled_at = case when ${isDisabled} then campanile_now() end
      where account_id = ${accountId} and (disabled_at is not null) <> ${isDisabled}
      returning case when disabled_at is not null or stop_reason is not null then 'infinity'
                     when status = 'paused' then coalesce(paused_until::text, '-infinity') else '-infinity' end as "heldUntil"`;
    if (!account) continue;
    await execute(trx)`
      update lanes set held_until = ${account.heldUntil}::timestamptz where account_id = ${accountId}`;
    if (!isDisabled) await wakeLane(trx, accountId);
  }
  if (!isDisabled) await notifyAfterCommit(trx, 'campanile_runs');
}

export function ownerDisabledError(): AppError {
  return new AppError(
    'owner_disabled',
    'An administrator has disabled the owner of this workspace, so nothing is sent until the owner is enabled',
  );
}
