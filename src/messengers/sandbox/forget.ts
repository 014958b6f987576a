import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

const MESSAGES_PER_STEP = 5_000;

/** Deletes some of an account's messages, and with the last of them its chats. False when nothing was left. */
export async function forgetAccount(db: Connection, accountId: number): Promise<boolean> {
  // From now on nothing more is written for the account.
  const known = await sql`delete from sandbox_accounts where account_id = ${accountId}`.execute(db);
  if ((known.numAffectedRows ?? 0n) > 0n) return true;
  // Deadlock: skips rows that are locked, since the emitter of events would wait for us, and we for it.
  const messages = await sql`
    delete from sandbox_messages where ctid = any(array(
      select m.ctid from sandbox_chats c join sandbox_messages m on m.chat_id = c.chat_id
      where c.account_id = ${accountId} limit ${MESSAGES_PER_STEP} for update of m skip locked))`.execute(db);
  if ((messages.numAffectedRows ?? 0n) > 0n) return true;
  const chats = await sql`
    delete from sandbox_chats c where c.account_id = ${accountId} and not exists (
      select from sandbox_messages m where m.chat_id = c.chat_id)`.execute(db);
  if ((chats.numAffectedRows ?? 0n) > 0n) return true;
  const { rows } = await sql`select from sandbox_chats where account_id = ${accountId} limit 1`.execute(db);
  return rows.length > 0;
}
