import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

const MESSAGES_PER_STEP = 5_000;

/**
 * Deletes some of what is left of an account: with the last account of a workspace its messages and its chats. False when nothing was left.
 */
export async function forgetAccount(db: Connection, accountId: AccountId): Promise<boolean> {
  const { rows: known } = await sql<{ workspaceId: WorkspaceId; isLast: boolean }>`
    select workspace_id as "workspaceId", not exists (
      select from sandbox_accounts o where o.workspace_id = s.workspace_id and o.account_id <> s.account_id) as "isLast"
    from sandbox_accounts s where account_id = ${accountId}`.execute(db);
  const [account] = known;
  if (!account) return false;
  if (account.isLast && (await forgetChats(db, account.workspaceId))) return true;
  await sql`delete from sandbox_accounts where account_id = ${accountId}`.execute(db);
  return true;
}

async function forgetChats(db: Connection, workspaceId: WorkspaceId): Promise<boolean> {
  // Deadlock: skips rows that are locked, since the emitter of events would wait for us, and we for it.
  const messages = await sql`
    delete from sandbox_messages where ctid = any(array(
      select m.ctid from sandbox_chats c join sandbox_messages m on m.chat_id = c.chat_id
      where c.workspace_id = ${workspaceId} limit ${MESSAGES_PER_STEP} for update of m skip locked))`.execute(db);
  if ((messages.numAffectedRows ?? 0n) > 0n) return true;
  const chats = await sql`
    delete from sandbox_chats c where c.workspace_id = ${workspaceId} and not exists (
      select from sandbox_messages m where m.chat_id = c.chat_id)`.execute(db);
  if ((chats.numAffectedRows ?? 0n) > 0n) return true;
  const { rows } = await sql`select from sandbox_chats where workspace_id = ${workspaceId} limit 1`.execute(db);
  return rows.length > 0;
}
