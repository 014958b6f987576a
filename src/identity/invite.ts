import { recordAudit, type Actor } from '../workspaces/audit/record-audit.ts';
import { AppError, fieldError } from '../platform/errors/errors.ts';
import { dropInvitation, queueMail, selectInvitations, type Invitation } from '../platform/mail/mail-store.ts';
import { countAttempts } from './sign-in/brute-force-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { loginOf } from './login.ts';
import { INVITATIONS_PER_USER } from './mail-limits.ts';
import { requireAdmin } from './manage-users.ts';
import { findUserByLogin } from './store.ts';

/**
 * Invites a person to sign up within seven days. Revokes an earlier invitation to the same address. Without a mail server it returns the
 * code for the administrator to pass on. For administrators only. Throws `forbidden` where sign-up is closed, `conflict` when the address
 * is already a login, `rate_limited` after 100 an hour.
 */
export async function invite(
  { db, signUp, hasMail, links }: Pick<UserDependencies, 'db' | 'signUp' | 'hasMail' | 'links'>,
  actor: Actor,
  email: string,
): Promise<{ code?: string }> {
  await requireAdmin(db, actor);
  if (signUp === 'closed')
    throw new AppError('signup_closed', 'Sign-up is closed (SIGNUP=closed). SIGNUP=invite allows invitations.');
  if (await findUserByLogin(db, loginOf(email)))
    throw new AppError('login_taken', 'email is already taken', {
      details: [fieldError('email', 'taken')],
    });
  await countAttempts(db, [{ limit: INVITATIONS_PER_USER, key: String(actor.userId) }]);
  const mailId = await db.transaction().execute(async (trx) => {
    await recordAudit(trx, { ...actor, action: 'user.invited', subject: email });
    return queueMail(trx, { kind: 'invitation', recipient: email, invitedBy: actor.userId });
  });
  return hasMail ? {} : { code: links.codeOf(mailId) };
}

/** Returns the open invitations; for administrators only. */
export async function listInvitations({ db }: Pick<UserDependencies, 'db'>, actor: Actor): Promise<Invitation[]> {
  await requireAdmin(db, actor);
  return selectInvitations(db);
}

/** Takes an invitation back; for administrators alone. Throws `not_found` when there is none. */
export async function withdrawInvitation(
  { db }: Pick<UserDependencies, 'db'>,
  actor: Actor,
  email: string,
): Promise<void> {
  await requireAdmin(db, actor);
  if (!(await dropInvitation(db, email)))
    throw new AppError('invitation_not_found', 'No invitation to this address is pending');
}
