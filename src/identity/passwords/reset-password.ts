import { recordAudit } from '../../workspaces/audit/record-audit.ts';
import type { UserId } from '../../platform/database/schema.ts';
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
 * Has a link sent by which whoever owns the login sets a new password. Nothing is looked up here: what it comes to and how long it
 * takes is the same whether or not there is such a user, which only whoever sends the mails finds out. More than three an hour of one
 * login are passed over in silence; throws `rate_limited` after 60 an hour from one address.
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
 * Sets the password of whoever was sent the link, which works once; every other link of the kind is void then. Revokes every token, and
 * unless they are kept every API key. It signs nobody in. Throws `invalid` on `code` when the link is good no more, and on
 * `new_password` what `rejectWeakPassword` throws where strangers can come: the link then goes on working.
 */
export async function resetPassword(deps: ResetDeps, reset: Reset, address: string): Promise<void> {
  requireMailId(deps.links, reset.code);
  const owner = await withSignInPermit(address, () => resetWithPermit(deps, reset, address));
  deps.tokenStates.drop(owner);
  deps.apiKeyStates.drop(owner);
}

type ResetDeps = Pick<UserDependencies, 'db' | 'links' | 'isPublic' | 'tokenStates' | 'apiKeyStates'>;

interface Reset {
  code: string;
  newPassword: string;
  keepsApiKeys: boolean;
}

async function resetWithPermit(
  { db, links, isPublic }: ResetDeps,
  { code, newPassword, keepsApiKeys }: Reset,
  address: string,
): Promise<UserId> {
  const passwordHash = await hashPassword(newPassword);
  return db.transaction().execute(async (trx) => {
    const { userId, recipient } = await consumeCode(trx, links, { code, kind: 'reset' });
    const user = userId && (await setEmailVerified(trx, userId, recipient));
    if (!userId || !user) throw badCode();
    if (isPublic) await rejectWeakPassword('new_password', newPassword, user);
    await setPassword(trx, userId, { passwordHash, keepsApiKeys });
    await dropMailsOf(trx, userId, 'reset');
    await queueMail(trx, { kind: 'password_changed', userId });
    const { workspaceId, userName: subject } = user;
    await recordAudit(trx, { userId, workspaceId, address, action: 'user.password_reset', subject });
    return userId;
  });
}
