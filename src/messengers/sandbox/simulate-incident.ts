import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import type { Incident, SessionState } from '../messenger.ts';

export const BANNED = { status: 'logged_out', reason: 'WhatsApp has banned this number' } as const;

/** Carries out an incident, and returns how the account stands. Idempotent. */
export async function simulateIncident(db: Database, accountId: AccountId, incident: Incident): Promise<SessionState> {
  return db.transaction().execute(async (trx) => {
    const { action, chatId } = incident;
    if (action !== 'ban') await changeMembership(trx, accountId, { action, chatId });
    const lifts = action === 'restore' && chatId === undefined;
    const { rows } = await sql<{ is_banned: boolean }>`
      update sandbox_accounts set is_banned = (is_banned or ${action === 'ban'}) and not ${lifts}
      where account_id = ${accountId} returning is_banned`.execute(trx);
    return rows[0]?.is_banned ? BANNED : { status: 'connected' };
  });
}

/** Posts to a community go to its announcement group: both are changed. */
async function changeMembership(
  trx: Connection,
  accountId: AccountId,
  { action, chatId }: { action: Exclude<Incident['action'], 'ban'>; chatId: string | undefined },
): Promise<void> {
  const added = (to: Incident['action']) => sql`${action === to ? [accountId] : []}::bigint[]`;
  await sql`
    update sandbox_chats
    set removed_accounts = case when ${action === 'demote'} then removed_accounts
                             else array_remove(removed_accounts, ${accountId}) || ${added('remove')} end,
        demoted_accounts = array_remove(demoted_accounts, ${accountId}) || ${added('demote')}
    where workspace_id = (select workspace_id from sandbox_accounts where account_id = ${accountId})
      and (${chatId ?? null}::text is null or chat_id = ${chatId ?? null} or parent_id = ${chatId ?? null}
           or chat_id = (select parent_id from sandbox_chats where chat_id = ${chatId ?? null}))`.execute(trx);
}
