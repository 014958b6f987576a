import { sql } from 'kysely';
import type { Connection } from '../../src/platform/database/connect.ts';
import type { Owner } from './ledger.ts';

/** Gives a workspace another account, connected to the sandbox, with a lane in the ledger of the default account. Resolves to its id. */
export async function addAccount(
  db: Connection,
  { workspaceId, accountId }: Pick<Owner, 'workspaceId' | 'accountId'>,
  name: string | null = null,
): Promise<number> {
  const { account_id } = await db
    .insertInto('accounts')
    .values({ workspace_id: workspaceId, messenger: 'sandbox', status: 'connected', is_default: false, name })
    .returning('account_id')
    .executeTakeFirstOrThrow();
  await db.insertInto('lanes').values({ account_id, messenger: 'sandbox', ledger_id: accountId }).execute();
  return account_id;
}

/** Makes an account a member of groups. */
export async function addWays(
  db: Connection,
  accountId: number,
  groupIds: readonly number[],
  { canSend = true, isAdmin = null }: { canSend?: boolean; isAdmin?: boolean | null } = {},
): Promise<void> {
  await sql`
    insert into group_accounts (group_id, account_id, can_send, is_admin)
    select g, ${accountId}, ${canSend}, ${isAdmin}::boolean from unnest(${[...groupIds]}::bigint[]) g`.execute(db);
}
