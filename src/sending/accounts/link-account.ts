import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import type { MessengerCapabilities } from '../../messengers/messenger.ts';
import type { WrittenNumber } from './change-number.ts';

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
export async function insertAccount(
  trx: Connection,
  { workspaceId, messenger, isLinked, further }: InsertedAccount,
): Promise<AccountId> {
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
  await trx.insertInto('lanes').values({ account_id, messenger }).execute();
  return account_id;
}
