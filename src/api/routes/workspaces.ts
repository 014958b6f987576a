import type { UserDependencies } from '../../identity/dependencies.ts';
import { acceptInvitation, getInvitation } from '../../identity/members/accept-invitation.ts';
import { createWorkspace } from '../../identity/members/create-workspace.ts';
import { selectInvitations } from '../../identity/members/invitation-store.ts';
import { inviteMember, revokeInvitation } from '../../identity/members/invite-member.ts';
import {
  handOverWorkspace,
  leaveWorkspace,
  removeMember,
  renameWorkspace,
  setMemberRole,
} from '../../identity/members/manage-members.ts';
import { selectMembers, selectOwnWorkspaces, writeOpened } from '../../identity/members/member-store.ts';
import { changeFailoverRules } from '../../workspaces/failover/failover-rules.ts';
import type { workspaces } from '../contract/workspaces.ts';
import type { Handlers } from '../operation.ts';

export const workspaceHandlers: Handlers<typeof workspaces, UserDependencies> = {
  async listWorkspaces({ db }, { actor }) {
    const own = await selectOwnWorkspaces(db, actor.userId);
    return { workspaces: own.map((workspace, index) => ({ ...workspace, isDefault: index === 0 })) };
  },

  createWorkspace: async (deps, { body, actor }) => ({ workspaceId: await createWorkspace(deps, actor, body.name) }),

  openWorkspace: ({ db }, { actor }) => writeOpened(db, actor.workspaceId, actor.userId),

  renameWorkspace: (deps, { body, actor }) => renameWorkspace(deps, actor, body.name),

  updateWorkspace(deps, { body, actor }) {
    const { failoverMinutes: minutes, failsBack } = body;
    return changeFailoverRules(deps, actor, { failoverMinutes: minutes === 'ask' ? null : minutes, failsBack });
  },

  async listMembers({ db }, { actor }) {
    const members = await selectMembers(db, actor.workspaceId);
    const isOwner = actor.role === 'owner';
    return { members: members.map((member) => ({ ...member, email: isOwner ? member.email : undefined })) };
  },

  inviteMember: (deps, { body, actor }) => inviteMember(deps, actor, body),

  listInvitations: async ({ db }, { actor }) => ({ invitations: await selectInvitations(db, actor.workspaceId) }),

  revokeInvitation: (deps, { body, actor }) => revokeInvitation(deps, actor, body.invitationId),

  getInvitation: (deps, { body }) => getInvitation(deps, body.code),

  acceptInvitation: (deps, { body, actor }) => acceptInvitation(deps, actor, body.code),

  setMemberRole: (deps, { body, actor }) => setMemberRole(deps, actor, body),

  removeMember: (deps, { body, actor }) => removeMember(deps, actor, body),

  leaveWorkspace: (deps, { actor }) => leaveWorkspace(deps, actor),

  handOverWorkspace: (deps, { body, actor }) => handOverWorkspace(deps, actor, body.userId),
};
