import type { UserDependencies } from '../../identity/dependencies.ts';
import { acceptInvitation } from '../../identity/members/accept-invitation.ts';
import { selectInvitations } from '../../identity/members/invitation-store.ts';
import { inviteMember, revokeInvitation } from '../../identity/members/invite-member.ts';
import {
  handOverWorkspace,
  leaveWorkspace,
  removeMember,
  renameWorkspace,
  setMemberRole,
} from '../../identity/members/manage-members.ts';
import { selectMembers, selectOwnWorkspaces } from '../../identity/members/member-store.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { changeFailoverRules } from '../../workspaces/failover/failover-rules.ts';
import type { workspaces } from '../contract/workspaces.ts';
import type { Handlers } from '../operation.ts';

export const workspaceHandlers: Handlers<typeof workspaces, UserDependencies> = {
  async listWorkspaces({ db }, { actor }) {
    const own = await selectOwnWorkspaces(db, actor.userId);
    return {
      workspaces: own.map(({ workspaceId, name, role, members, failoverMinutes, failsBack }, index) => ({
        workspace_id: workspaceId,
        name,
        role,
        is_default: index === 0,
        members,
        failover_minutes: failoverMinutes,
        fails_back: failsBack,
      })),
    };
  },

  async renameWorkspace(deps, { body, actor }) {
    await renameWorkspace(deps, actor, body.name);
    return {};
  },

  async updateWorkspace(deps, { body, actor }) {
    const { failover_minutes: minutes, fails_back: failsBack } = body;
    const failoverMinutes = minutes === 'ask' ? null : minutes;
    const rules = await changeFailoverRules(deps, actor, { failoverMinutes, failsBack });
    return { failover_minutes: rules.failoverMinutes, fails_back: rules.failsBack };
  },

  async listMembers({ db }, { actor }) {
    const members = await selectMembers(db, actor.workspaceId);
    return {
      members: members.map((one) => ({
        user_id: one.userId,
        user_name: one.userName,
        first_name: one.firstName,
        last_name: one.lastName,
        ...(actor.role === 'owner' && { email: one.email }),
        role: one.role,
        joined_at: one.joinedAt.toISOString(),
      })),
    };
  },

  async inviteMember(deps, { body, actor }) {
    const { invitationId, expiresAt, code } = await inviteMember(deps, actor, { role: body.role, email: body.email });
    return {
      invitation_id: invitationId,
      expires_at: expiresAt.toISOString(),
      ...(code !== undefined && { code }),
    };
  },

  async listInvitations({ db }, { actor }) {
    const pending = await selectInvitations(db, actor.workspaceId);
    return {
      invitations: pending.map((one) => ({
        invitation_id: one.invitationId,
        role: one.role,
        email: one.email,
        invited_by: one.invitedBy,
        created_at: one.createdAt.toISOString(),
        expires_at: one.expiresAt.toISOString(),
      })),
    };
  },

  async revokeInvitation(deps, { body, actor }) {
    await revokeInvitation(deps, actor, body.invitation_id);
    return {};
  },

  async acceptInvitation(deps, { body, actor }) {
    const { workspaceId, name, role } = await acceptInvitation(deps, actor, body.code);
    return { workspace_id: workspaceId, name, role };
  },

  async setMemberRole(deps, { body, actor }) {
    await setMemberRole(deps, actor, { userId: body.user_id as UserId, role: body.role });
    return {};
  },

  async removeMember(deps, { body, actor }) {
    const { user_id: userId, keep_report_links: keepsReportLinks } = body;
    await removeMember(deps, actor, { userId: userId as UserId, keepsReportLinks });
    return {};
  },

  async leaveWorkspace(deps, { actor }) {
    await leaveWorkspace(deps, actor);
    return {};
  },

  async handOverWorkspace(deps, { body, actor }) {
    await handOverWorkspace(deps, actor, body.user_id as UserId);
    return {};
  },
};
