import { execute, hasRow, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';
import type { WrittenNumber } from './change-number.ts';
import { clearLink } from './remove-account.ts';
import { findAccountsOfOwner } from './store.ts';
import { setAccountsDisabled } from './disable-accounts.ts';

/**
 * Gives a new workspace its default account and its lane, in the transaction that creates its owner; connected from the start where no
 * phone has to agree.
 */
export async function linkAccount(
  trx: Connection,
  workspaceId: WorkspaceId,
  { name: messenger, linksAtOnce = false }: MessengerCapabilities,
): Promise<void> {
  await insertAccount(trx, { workspaceId, messenger, isLinked: linksAtOnce });
}

interface InsertedAccount {
  workspaceId: WorkspaceId;
  messenger: string;
  isLinked: boolean;
  /** Undefined: it is the default account. */
  further?: { name: string; number: WrittenNumber | undefined };
}

/** Writes an account and its lane. Returns its id. */
export async function insertAccount(trx: Connection, { workspaceId, messenger, isLinked, further }: InsertedAccount) {
  const { account_id } = await trx
    .insertInto('accounts')
    .values({
      workspace_id: workspaceId,
      messenger,
      status: isLinked ? 'connected' : 'unlinked',
      ...(further && {
        is_default: false,
        name: further.name,
        whatsapp_number: further.number?.written ?? null,
        whatsapp_digits: further.number?.digits ?? null,
      }),
    })
    .returning('account_id')
    .executeTakeFirstOrThrow();
  await execute(trx)`insert into lanes (account_id, messenger) values (${account_id}, ${messenger})`;
  return account_id;
}

/**
 * Ends the accounts of a workspace and of its test workspace for good, in the transaction that deletes their owner. It deletes the ledgers and
 * their lanes, and with them the right to send: all later writers find none and skip the workspace. A turn in hand may still leave, and its outcome is not
 * recorded.
 */
export async function unlinkAccount(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const accountIds = await findAccountsOfOwner(trx, workspaceId);
  await execute(trx)`
    delete from workspace_ledgers where workspace_id = any(array(
      select workspace_id from workspaces where workspace_id = ${workspaceId} or test_of = ${workspaceId}))`;
  await clearLink(trx, accountIds);
}

/**
 * Prepares the accounts of a workspace for another owner, who is enabled: accounts that were disabled with the former one go on. The default
 * account gets the number in the former owner's profile, if a phone was linked with it or is being linked; otherwise the number of the new
 * owner will hold.
 */
export async function prepareHandOver(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const isFound = await hasRow(trx)`
    select from accounts where workspace_id = ${workspaceId} and disabled_at is not null limit 1`;
  if (isFound) await setAccountsDisabled(trx, workspaceId, false);
  await execute(trx)`
    update accounts a set whatsapp_number = u.whatsapp_number, whatsapp_digits = u.whatsapp_digits
    from memberships m join users u using (user_id)
    where a.workspace_id = ${workspaceId} and a.is_default and a.whatsapp_number is null and (a.linked_number is not null or a.status = 'linking')
      and m.workspace_id = a.workspace_id and m.role = 'owner'`;
}
