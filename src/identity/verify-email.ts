import { recordAudit, type Actor } from '../workspaces/audit/record-audit.ts';
import { dropMailsOf, queueMail } from '../platform/mail/mail-store.ts';
import { countAttempts } from './sign-in/brute-force-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { badCode, consumeCode } from './mail-codes.ts';
import { VERIFICATIONS_PER_USER } from './mail-limits.ts';
import { setEmailVerified } from './account-flags-store.ts';

/** Sends the verification link again. Throws `rate_limited` after three an hour. */
export async function sendVerification({ db }: Pick<UserDependencies, 'db'>, { userId }: Actor): Promise<void> {
  await countAttempts(db, [{ limit: VERIFICATIONS_PER_USER, key: String(userId) }]);
  await db.transaction().execute((trx) => queueMail(trx, { kind: 'verification', userId }));
}

/** Marks the user's e-mail address as verified. Throws `invalid` on `code` when the link is used, expired or unknown. */
export async function verifyEmail(
  { db, links }: Pick<UserDependencies, 'db' | 'links'>,
  code: string,
  address: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { userId, recipient } = await consumeCode(trx, links, { code, kind: 'verification' });
    const user = userId && (await setEmailVerified(trx, userId, recipient));
    if (!userId || !user) throw badCode();
    await dropMailsOf(trx, userId, 'verification');
    const { workspaceId, userName: subject } = user;
    await recordAudit(trx, { userId, workspaceId, address, action: 'user.email_verified', subject });
  });
}
