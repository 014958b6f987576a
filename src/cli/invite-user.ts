import { StartupError } from '../platform/errors/errors.ts';
import { invite } from '../identity/invite.ts';
import { findAnAdministrator } from '../identity/manage-users-store.ts';
import { COMMAND_LINE, withUsers } from './open-users.ts';

/** Invites somebody in the name of the first administrator; answers what to say. Throws a StartupError when there is no administrator. */
export function inviteUser(email: string): Promise<string> {
  return withUsers(async (deps, { db, config }) => {
    if (config.signUp === 'closed')
      throw new StartupError('Sign-up is closed here (SIGNUP): "users create" makes a user');
    const administrator = await findAnAdministrator(db);
    if (!administrator) throw new StartupError('There is no administrator yet: "users make-admin" makes one');
    const { code } = await invite(deps, { ...administrator, role: 'owner', address: COMMAND_LINE }, email);
    if (code === undefined) return `A mail invites ${email}; its link holds for seven days`;
    return `Hand this on to ${email}, it holds for seven days: ${config.publicUrl ?? ''}/accept-invite#${code}`;
  });
}
