import { StartupError } from '../platform/errors/errors.ts';
import { invite } from '../identity/invite.ts';
import { findAnAdministrator } from '../identity/manage-users-store.ts';
import type { Shell } from './command.ts';
import { COMMAND_LINE, withUsers } from './open-users.ts';

/**
 * `campanile users invite`: invites a person in the name of the first administrator. Throws a StartupError when there is no administrator.
 */
export async function inviteUser({ args: { 'E-MAIL': email }, output }: Shell & { args: { 'E-MAIL': string } }) {
  output.write(`${await invitePerson(email)}\n`);
  return 0;
}

function invitePerson(email: string): Promise<string> {
  return withUsers(async (deps, { db, config }) => {
    if (config.signUp === 'closed')
      throw new StartupError('Sign-up is closed (SIGNUP). Create the user with "users create".');
    const administrator = await findAnAdministrator(db);
    if (!administrator) throw new StartupError('No user is an administrator yet. Appoint one with "users make-admin".');
    const { code } = await invite(deps, { ...administrator, role: 'owner', address: COMMAND_LINE }, email);
    if (code === undefined) return `Sent an invitation to ${email}. The link is valid for 7 days.`;
    return `Send this link to ${email}. It is valid for 7 days: ${config.publicUrl ?? ''}/accept-invite#${code}`;
  });
}
