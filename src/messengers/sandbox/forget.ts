import { execute, hasRow, readRow, type Connection, type Database } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

const MESSAGES_PER_STEP = 5_000;

/**
 * Deletes some of what is left of an account: with the last account of a workspace its messages and its chats. False when nothing was left.
 */
export async function forgetAccount(db: Database, accountId: AccountId): Promise<boolean> {
  const account = await findAccount(db, accountId);
  if (!account) return false;
  if (account.isLast && (await forgetMessages(db, account.workspaceId))) return true;
  await db.transaction().execute(async (trx) => {
    // An account that comes meanwhile finds either all chats or none: in place of none it gets the first ones.
    await lockAccounts(trx, account.workspaceId);
    const now = await findAccount(trx, accountId);
    if (now?.isLast && !(await forgetChats(trx, account.workspaceId))) return;
    await execute(trx)`delete from sandbox_accounts where account_id = ${accountId}`;
  });
  return true;
}

/** Keeps the accounts of a workspace from coming and going until the transaction ends. */
export async function lockAccounts(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
}

function findAccount(db: Connection, accountId: AccountId) {
  return readRow<{ workspaceId: WorkspaceId; isLast: boolean }>(db)`
    select workspace_id as "workspaceId", not exists (
      select from sandbox_accounts o where o.workspace_id = s.workspace_id and o.account_id <> s.account_id) as "isLast"
    from sandbox_accounts s where account_id = ${accountId}`;
}

/** Returns whether there were any. */
async function forgetMessages(db: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  // Deadlock: skips rows that are locked, since the emitter of events would wait for us, and we for it.
  const deleted = await execute(db)`
    delete from sandbox_messages where ctid = any(array(
      select m.ctid from sandbox_chats c join sandbox_messages m on m.chat_id = c.chat_id
      where c.workspace_id = ${workspaceId} limit ${MESSAGES_PER_STEP} for update of m skip locked))`;
  return deleted > 0;
}

/** Returns whether all are gone: not those with messages. */
async function forgetChats(trx: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  const haveMessages = await hasRow(trx)`
    select from sandbox_chats c join sandbox_messages m on m.chat_id = c.chat_id where c.workspace_id = ${workspaceId} limit 1`;
  if (haveMessages) return false;
  await execute(trx)`delete from sandbox_chats where workspace_id = ${workspaceId}`;
  return true;
}
