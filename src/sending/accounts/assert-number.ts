import { hasRow, type Connection, type Database } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { isSameNumber, spellingsOf } from '../../platform/phone/phone-number.ts';
import type { Account } from './store.ts';

/**
 * Throws `number_taken` when another account of the workspace has the number with these digits: its own, or for the default account that of
 * the owner. `accountId` is left out; undefined: an account that does not exist yet.
 */
export async function assertNumberUnused(
  db: Connection,
  { workspaceId, accountId, phoneNumber }: { workspaceId: WorkspaceId; accountId?: AccountId; phoneNumber: string },
): Promise<void> {
  const isFound = await hasRow(db)`
    select from accounts a
    join workspaces w using (workspace_id)
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where a.workspace_id = ${workspaceId} and a.removed_at is null and a.account_id is distinct from ${accountId ?? null}::bigint
      and coalesce(a.whatsapp_digits, case when a.is_default then u.whatsapp_digits end) = any(${spellingsOf(phoneNumber)}::text[])
    limit 1`;
  if (isFound) throw new AppError('number_taken', 'Another account of this workspace has this number');
}

/**
 * Checks that a pairing code may be requested for the account's number: WhatsApp then prompts the phone with that number. The number must
 * have been confirmed by an earlier link, or no other user here may claim it, as their own or as that of an account of theirs. Throws `conflict` otherwise. A QR code needs no check: only
 * the phone's holder can scan it.
 */
export async function assertNumberOwnership(db: Database, account: Account): Promise<void> {
  if (isSameNumber(account.linkedNumber ?? '', account.phoneNumber)) return;
  const numbers = spellingsOf(account.phoneNumber);
  const isFound = await hasRow(db)`
    select from users u
    where u.whatsapp_digits = any(${numbers}::text[]) and u.deleted_at is null and not exists (
      select from memberships m where m.user_id = u.user_id and m.workspace_id = ${account.workspaceId} and m.role = 'owner')
    union all
    select from accounts a
    join memberships m on m.workspace_id = a.workspace_id and m.role = 'owner'
    where a.whatsapp_digits = any(${numbers}::text[]) and a.removed_at is null and not exists (
      select from memberships o where o.user_id = m.user_id and o.workspace_id = ${account.workspaceId} and o.role = 'owner')
    limit 1`;
  if (isFound)
    throw new AppError(
      'number_taken',
      'Another user has entered this number too. Scan the QR code with the phone of this number.',
    );
}
