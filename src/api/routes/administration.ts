import type { UserDependencies } from '../../identity/dependencies.ts';
import type { ProfileDeps } from '../../identity/get-profile.ts';
import { invite, listInvitations, withdrawInvitation } from '../../identity/invite.ts';
import { deleteUser, getUser, listUsers, resetFactors, setDisabled } from '../../identity/manage-users.ts';
import type { RunChecks } from '../../operations/doctor/run-checks-once.ts';
import { selectOwnedWorkspaces } from '../../identity/members/member-store.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { countUnsent } from '../../sending/campaigns/read/count-unsent.ts';
import type { administration } from '../contract/administration.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { profileOf } from './profile.ts';

export type AdministrationDeps = UserDependencies & ProfileDeps & { runChecks: RunChecks };

export const administrationHandlers: Handlers<typeof administration, AdministrationDeps> = {
  invite: (deps, { body, actor }) => invite(deps, actor, body.email),

  listInvitations: async (deps, { actor }) => ({ invitations: await listInvitations(deps, actor) }),

  withdrawInvitation: (deps, { body, actor }) => withdrawInvitation(deps, actor, body.email),

  async listUsers(deps, { body, actor }) {
    const page = { search: body.search, limit: body.limit, before: readCursor(body.cursor) };
    const { users, next } = await listUsers(deps, actor, page);
    return {
      users: users.map((user) => ({ ...user, emailVerified: user.isEmailVerified })),
      nextCursor: writeCursor(next ?? null),
    };
  },

  async getUser(deps, { body, actor }) {
    const user = await getUser(deps, actor, body.userId);
    const owned = await selectOwnedWorkspaces(deps.db, body.userId);
    return { ...profileOf(user), disabledAt: user.disabledAt, ...(await readUnsent(deps, owned)) };
  },

  async disableUser(deps, { body, actor }) {
    return readUnsent(deps, await setDisabled(deps, actor, { userId: body.userId, isDisabled: true }));
  },

  async enableUser(deps, { body, actor }) {
    return readUnsent(deps, await setDisabled(deps, actor, { userId: body.userId, isDisabled: false }));
  },

  resetFactors: (deps, { body, actor }) => resetFactors(deps, actor, body.userId),

  deleteUser: (deps, { body, caller, actor }) => deleteUser(deps, actor, { ...body, token: tokenOf(caller) }),

  async getInstallation({ runChecks }, { actor }) {
    const { at, findings } = await runChecks(actor);
    return { examinedAt: at, findings: findings.map((finding) => ({ ...finding, advice: finding.advice })) };
  },
};

async function readUnsent({ db }: Pick<AdministrationDeps, 'db'>, workspaceIds: readonly WorkspaceId[]) {
  return { unsent: await countUnsent(db, workspaceIds) };
}
