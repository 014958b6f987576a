import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { Account } from './store.ts';

/**
 * Returns whether a further account has something to send, to change or to pin, or has a turn in hand. Its lane and its ledger must be
 * locked.
 */
export async function hasWaiting(
  trx: Connection,
  { accountId, ledgerId }: Pick<Account, 'accountId' | 'ledgerId'>,
): Promise<boolean> {
  const { rows } = await sql`
    select where exists (select from lanes where account_id = ${accountId} and in_hand_run_id is not null)
      or exists (select from runs r join deliveries d on d.account_id = r.account_id and d.run_id = r.run_id
                 where r.account_id = ${ledgerId} and r.status = 'running' and d.status = 'queued' and d.sender_id = ${accountId})
      or exists (select from revisions where account_id = ${ledgerId} and wanted is not null and sender_id = ${accountId})
      or exists (select from pins where account_id = ${ledgerId} and wanted is not null and sender_id = ${accountId})`.execute(
    trx,
  );
  return rows.length > 0;
}
