import type { UserDependencies } from '../../identity/dependencies.ts';
import type { ProfileDeps } from '../../identity/get-profile.ts';
import { invite, listInvitations, withdrawInvitation } from '../../identity/invite.ts';
import { deleteUser, getUser, listUsers, resetFactors, setDisabled } from '../../identity/manage-users.ts';
import type { RunChecks } from '../../operations/doctor/run-checks-once.ts';
import type { UserId } from '../../platform/database/schema.ts';
import type { administration } from '../contract/administration.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { ownProfileOf } from './profile.ts';

export type AdministrationDeps = UserDependencies & ProfileDeps & { runChecks: RunChecks };

export const administrationHandlers: Handlers<typeof administration, AdministrationDeps> = {
  invite: (deps, { body, actor }) => invite(deps, actor, body.email),

  async listInvitations(deps, { actor }) {
    const invitations = await listInvitations(deps, actor);
    return {
      invitations: invitations.map(({ email, expiresAt }) => ({ email, expires_at: expiresAt.toISOString() })),
    };
  },

  async withdrawInvitation(deps, { body, actor }) {
    await withdrawInvitation(deps, actor, body.email);
    return {};
  },

  async listUsers(deps, { body, actor }) {
    const page = { search: body.search, limit: body.limit, before: readCursor(body.cursor) };
    const { users, next } = await listUsers(deps, actor, page);
    return {
      users: users.map((user) => ({
        user_id: user.userId,
        user_name: user.userName,
        email: user.email,
        first_name: user.firstName,
        last_name: user.lastName,
        is_admin: user.isAdmin,
        email_verified: user.isEmailVerified,
        created_at: user.createdAt.toISOString(),
        last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
        disabled_at: user.disabledAt?.toISOString() ?? null,
      })),
      next_cursor: writeCursor(next ?? null),
    };
  },

  async getUser(deps, { body, actor }) {
    const user = await getUser(deps, actor, body.user_id as UserId);
    return { ...ownProfileOf(user), disabled_at: user.disabledAt?.toISOString() ?? null };
  },

  async disableUser(deps, { body, actor }) {
    await setDisabled(deps, actor, { userId: body.user_id as UserId, isDisabled: true });
    return {};
  },

  async enableUser(deps, { body, actor }) {
    await setDisabled(deps, actor, { userId: body.user_id as UserId, isDisabled: false });
    return {};
  },

  async resetFactors(deps, { body, actor }) {
    await resetFactors(deps, actor, body.user_id as UserId);
    return {};
  },

  async deleteUser(deps, { body, caller, actor }) {
    const userId = body.user_id as UserId;
    await deleteUser(deps, actor, { userId, token: tokenOf(caller), password: body.password });
    return {};
  },

  async getInstallation({ runChecks }, { actor }) {
    const { at, findings } = await runChecks(actor);
    return {
      examined_at: at.toISOString(),
      findings: findings.map(({ check, level, message, advice }) => ({
        check,
        level,
        message,
        advice: advice ?? null,
      })),
    };
  },
};
