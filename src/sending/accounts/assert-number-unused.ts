import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';

/**
 * Throws `number_taken` when another account of the workspace has the number with these digits: its own, or for the default account that of
 * the owner. `accountId` is left out; undefined: an account that does not exist yet.
 */
export async function assertNumberUnused(
  db: Connection,
  { workspaceId, accountId, phoneNumber }: { workspaceId: WorkspaceId; accountId?: AccountId; phoneNumber: string },
): Promise<void> {
  const { rows } = await sql`
    select from accounts a
    join workspaces w using (workspace_id)
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where a.workspace_id = ${workspaceId} and a.removed_at is null and a.account_id is distinct from ${accountId ?? null}::bigint
      and coalesce(a.whatsapp_digits, case when a.is_default then u.whatsapp_digits end) = ${phoneNumber}
    limit 1`.execute(db);
  if (rows.length > 0) throw new AppError('number_taken', 'Another account of this workspace has this number');
}
