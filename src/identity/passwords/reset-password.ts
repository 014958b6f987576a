import { recordAudit } from '../../workspaces/audit/record-audit.ts';
import { dropMailsOf, queueMail } from '../../platform/mail/mail-store.ts';
import { countAttempts } from '../sign-in/brute-force-limit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { loginOf } from '../login.ts';
import { badCode, requireMailId, consumeCode } from '../mail-codes.ts';
import { mayMail, RESETS_PER_ADDRESS, RESETS_PER_LOGIN } from '../mail-limits.ts';
import { hashPassword } from './password.ts';
import { rejectWeakPassword } from './reject-weak-password.ts';
import { networkOf } from '../sign-in/known-networks.ts';
import { setEmailVerified, setPassword } from '../account-flags-store.ts';
import { withSignInPermit } from '../sign-in/sign-in-permits.ts';

/**
 * Requests a mail with a link for setting a new password. User enumeration: this looks nothing up, so answer and duration are the same for
 * unknown logins; only the process that sends mails knows. More than three an hour for one login are dropped silently. Throws
 * `rate_limited` after 60 an hour from one address.
 */
export async function requestPasswordReset(
  { db }: Pick<UserDependencies, 'db'>,
  nameOrEmail: string,
  address: string,
): Promise<void> {
  const login = loginOf(nameOrEmail);
  await countAttempts(db, [{ limit: RESETS_PER_ADDRESS, key: networkOf(address) }]);
  if (!(await mayMail(db, RESETS_PER_LOGIN, login))) return;
  await db.transaction().execute((trx) => queueMail(trx, { kind: 'reset', login }));
}

/**
 * Sets the password of the link's recipient. The link works once, and all other links of this kind become void. Revokes every token, and
 * every API key unless they are kept. Signs nobody in. Throws `invalid` on `code` when the link is void, and the errors of
 * `rejectWeakPassword` on `new_password` where the service is public: the link then stays valid.
 */
export async function resetPassword(
  { db, links, isPublic, dropCached }: Pick<UserDependencies, 'db' | 'links' | 'isPublic' | 'dropCached'>,
  { code, newPassword, keepApiKeys }: { code: string; newPassword: string; keepApiKeys: boolean },
  address: string,
): Promise<void> {
  requireMailId(links, code);
  const owner = await withSignInPermit(async () => {
    const passwordHash = await hashPassword(newPassword);
    return db.transaction().execute(async (trx) => {
      const { userId, recipient } = await consumeCode(trx, links, { code, kind: 'reset' });
      const user = userId && (await setEmailVerified(trx, userId, recipient));
      if (!userId || !user) throw badCode();
      if (isPublic) await rejectWeakPassword('new_password', newPassword, user);
      await setPassword(trx, userId, { passwordHash, keepApiKeys });
      await dropMailsOf(trx, userId, 'reset');
      await queueMail(trx, { kind: 'password_changed', userId });
      const { workspaceId, userName: subject } = user;
      await recordAudit(trx, { userId, workspaceId, address, action: 'user.password_reset', subject });
      return userId;
    });
  });
  dropCached(owner);
}
