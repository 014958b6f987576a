import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Copies the number in the owner's profile to the default account, if a phone was linked with it or is being linked: the account keeps it when the
 * workspace gets another owner. Otherwise the number of the new owner will hold.
 */
export async function keepNumber(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    update accounts a set whatsapp_number = u.whatsapp_number, whatsapp_digits = u.whatsapp_digits
    from memberships m join users u using (user_id)
    where a.workspace_id = ${workspaceId} and a.is_default and a.whatsapp_number is null and (a.linked_number is not null or a.status = 'linking')
      and m.workspace_id = a.workspace_id and m.role = 'owner'`.execute(trx);
}
