import { sql } from 'kysely';
import type { Connection } from '../platform/database/connect.ts';
import type { User } from './store.ts';

/**
 * Removes the name and the address of a deleted user from what others have written: entries of administrators' audit logs, which keep
 * what was done, and invitations and mails to the address. The condition on `action` is that of the index audit_log_named.
 */
export async function forgetPerson(
  trx: Connection,
  { userName, email }: Pick<User, 'userName' | 'email'>,
): Promise<void> {
  await sql`
    update audit_log set subject = ''
    where lower(subject) in (lower(${userName}), lower(${email}))
      and action in ('user.invited', 'user.disabled', 'user.enabled', 'user.factors_reset', 'user.made_admin', 'user.password_reset')`.execute(
    trx,
  );
  await sql`delete from invitations where lower(email) = lower(${email})`.execute(trx);
  await sql`delete from mails where user_id is null and lower(recipient) = lower(${email})`.execute(trx);
}
