import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/**
 * Ends an account for good, in the transaction that deletes its user: takes the lane away, and with it the right to send. What
 * locks the lane first finds none from then on and leaves the account alone. A turn in hand may still leave; nobody writes down
 * what comes of it.
 */
export async function unlinkAccount(trx: Connection, userId: number): Promise<void> {
  await sql`
    delete from lanes l using accounts a where a.user_id = ${userId} and l.account_id = a.account_id`.execute(trx);
  await sql`
    update accounts set status = 'unlinked', qr = null, pairing_code = null, status_reason = null
    where user_id = ${userId}`.execute(trx);
}
