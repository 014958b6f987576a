/** Workspaces, their members and invitations (contract §4). */
import { z } from 'zod';
import { GIVEN_ROLES, ROLES } from '../../workspaces/members/roles.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, label, optional, userId, withDefault, named } from './fields.ts';
import { createUserBody, linkCode } from './users.ts';

export const memberRole = z.enum(ROLES).meta({
  id: 'Role',
  description:
    'What a member of a workspace may do. `analyst`: read. `author`: also write drafts and upload files. `manager`: also send. `owner`: also the account link, members, API keys and all settings.',
});
const givenRole = z.enum(GIVEN_ROLES).meta({
  id: 'GivenRole',
  description: 'A role that a member can be given. The owner changes by `hand-over-workspace` only.',
});

const workspaceName = label(100)
  .regex(/^[^\p{Cc}]*$/u, { error: 'must have no line breaks' })
  .meta({ description: 'The name of the workspace.', examples: ['Newsroom'] });

const memberBody = named('OneMember', { user_id: userId.describe('The id of a member.') });

const member = z.object({
  user_id: count,
  user_name: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string().optional().describe('Present for the owner of the workspace only.'),
  role: memberRole,
  joined_at: instant,
});

const invitation = z.object({
  invitation_id: count,
  role: givenRole,
  email: z.string().nullable().describe('`null`: a link for anybody.'),
  invited_by: z.string().describe('A user name.'),
  created_at: instant,
  expires_at: instant,
});

const failoverMinutes = count
  .nullable()
  .describe(
    'After how many minutes in which an account cannot send its stand-ins send for it. `null`: a notice asks the owner.',
  );
const failsBack = z
  .boolean()
  .describe('Whether posts that have not been sent return to the account by themselves, once it can send again.');

const ownWorkspace = z.object({
  workspace_id: count.describe('For the request header `x-workspace`.'),
  name: z.string().describe("The owner's user name while the workspace has no name."),
  role: memberRole,
  is_default: z.boolean().describe('Whether it is meant by a request without `x-workspace`.'),
  members: count,
  failover_minutes: failoverMinutes,
  fails_back: failsBack,
});

export const workspaces = defineOperations('Workspaces', {
  listWorkspaces: {
    path: '/api/v1/workspace/list-workspaces',
    access: 'token',
    role: 'none',
    idempotency: 'always',
    summary: 'List your workspaces',
    description:
      'The default workspace comes first: the one that you own, the longest owned first, else the one that you joined first.',
    data: z.object({ workspaces: z.array(ownWorkspace) }),
  },
  createWorkspace: {
    path: '/api/v1/workspace/create-workspace',
    access: 'token',
    role: 'none',
    summary: 'Create a workspace',
    description:
      'You own it, with an account on the messenger of new users. Your first own workspace becomes your default one.',
    body: named('CreateWorkspace', { name: workspaceName }),
    data: z.object({ workspace_id: count }),
    errors: ['owner_limit_reached', 'workspace_limit_reached'],
  },
  openWorkspace: {
    path: '/api/v1/workspace/open-workspace',
    access: 'token',
    role: 'analyst',
    idempotency: 'always',
    summary: 'Remember the workspace as the one opened last',
    description:
      'The dashboard opens it on your other devices. Joining a workspace opens it, too. It changes nothing for requests without `x-workspace`: they mean the default workspace.',
  },
  renameWorkspace: {
    path: '/api/v1/workspace/rename-workspace',
    access: 'token',
    role: 'owner',
    idempotency: 'always',
    summary: 'Rename the workspace',
    body: named('RenameWorkspace', { name: workspaceName }),
    errors: ['changed_meanwhile'],
  },
  updateWorkspace: {
    path: '/api/v1/workspace/update-workspace',
    access: 'token',
    role: 'owner',
    idempotency: 'always',
    summary: 'Change the settings of the workspace',
    description: 'Fields that are omitted keep their values. An empty body changes nothing and returns the settings.',
    body: named('UpdateWorkspace', {
      failover_minutes: optional(
        z.union([z.int().min(1).max(10_080), z.literal('ask').describe('A notice asks the owner. The default.')]),
      ).describe('After how many minutes the stand-ins of an account that cannot send take over.'),
      fails_back: optional(z.boolean()).describe('Default: `true`.'),
    }),
    data: z.object({ failover_minutes: failoverMinutes, fails_back: failsBack }),
  },
  listMembers: {
    path: '/api/v1/workspace/list-members',
    access: 'token',
    role: 'analyst',
    idempotency: 'always',
    summary: 'List the members of the workspace',
    description: 'The owner first, then as they joined.',
    data: z.object({ members: z.array(member) }),
  },
  inviteMember: {
    path: '/api/v1/workspace/invite-member',
    access: 'token',
    role: 'owner',
    summary: 'Invite a person to the workspace',
    description:
      'The invitation works once, within 7 days, with this role, and while you are a member. With `email` it goes by mail, and replaces an earlier one to the same address. Without, or where no mails are sent, the answer has a code for the link `/join#CODE`. Limited to 20 an hour and 100 pending.',
    body: named('InviteMember', {
      role: givenRole,
      email: optional(createUserBody.shape.email).describe('Omit it for a link that you pass on.'),
    }),
    data: z.object({
      invitation_id: count,
      expires_at: instant,
      code: z
        .string()
        .optional()
        .describe(
          'For `accept-invitation` and `accept_invite`. Shown only once; absent if the invitation goes by mail.',
        ),
    }),
    errors: ['invitation_limit_reached', 'changed_meanwhile', 'too_many_attempts'],
  },
  listInvitations: {
    path: '/api/v1/workspace/list-invitations',
    operationId: 'list-workspace-invitations',
    access: 'token',
    role: 'owner',
    idempotency: 'always',
    summary: 'List the pending invitations of the workspace',
    description: 'Newest first.',
    data: z.object({ invitations: z.array(invitation) }),
  },
  revokeInvitation: {
    path: '/api/v1/workspace/revoke-invitation',
    access: 'token',
    role: 'owner',
    summary: 'Revoke a pending invitation',
    body: z.object({ invitation_id: z.int() }),
    errors: ['workspace_invitation_not_found', 'changed_meanwhile'],
  },
  getInvitation: {
    path: '/api/v1/workspace/get-invitation',
    access: 'open',
    idempotency: 'always',
    summary: 'Show what an invitation is to',
    description:
      'For anyone who has the code. A code that is unknown, used, revoked or expired is one and the same 400 on `code`.',
    body: named('GetInvitation', { code: linkCode }),
    data: z.object({
      workspace_name: z.string(),
      role: givenRole,
      invited_by: z.string().describe('First and last name.'),
      email: z.string().nullable().describe('`null`: a link for anybody.'),
      expires_at: instant,
    }),
  },
  acceptInvitation: {
    path: '/api/v1/workspace/accept-invitation',
    access: 'token',
    role: 'none',
    summary: 'Join a workspace',
    description:
      'Makes you a member of the workspace that the code invites to. A person without a user calls `accept_invite`. Limited to 60 an hour.',
    body: named('AcceptInvitation', { code: linkCode }),
    data: z.object({ workspace_id: count, name: z.string(), role: givenRole }),
    errors: ['already_member', 'member_limit_reached', 'workspace_limit_reached', 'too_many_attempts'],
  },
  setMemberRole: {
    path: '/api/v1/workspace/set-member-role',
    access: 'token',
    role: 'owner',
    idempotency: 'always',
    summary: 'Change the role of a member',
    description: 'Takes effect on every process within a second.',
    body: memberBody.extend({ role: givenRole }).meta({ id: 'SetMemberRole' }),
    errors: ['member_not_found', 'hand_over_first', 'changed_meanwhile'],
  },
  removeMember: {
    path: '/api/v1/workspace/remove-member',
    access: 'token',
    role: 'owner',
    summary: 'Remove a member',
    description:
      'Takes effect on every process within a second, and revokes the API keys of the member for this workspace. What they made stays, but for their links to reports.',
    body: memberBody.extend({
      keep_report_links: withDefault(z.boolean(), false).describe(
        'Keeps the links to reports that they have made: they hold until they expire or are revoked.',
      ),
    }),
    errors: ['member_not_found', 'hand_over_first', 'changed_meanwhile'],
  },
  leaveWorkspace: {
    path: '/api/v1/workspace/leave-workspace',
    access: 'token',
    role: 'analyst',
    summary: 'Leave the workspace',
    description:
      'For all members but the owner. Revokes your links to its reports. If it was your only workspace, you get a new one.',
    errors: ['member_not_found', 'hand_over_first', 'changed_meanwhile'],
  },
  handOverWorkspace: {
    path: '/api/v1/workspace/hand-over-workspace',
    access: 'token',
    role: 'owner',
    requiresRecentAuth: true,
    summary: 'Make another member the owner',
    description:
      'You become a manager. A linked account keeps its number. Quiet hours and caps count in the time zone of the new owner.',
    body: memberBody,
    errors: [
      'member_not_found',
      'not_for_oneself',
      'member_disabled',
      'owner_limit_reached',
      'too_many_attempts',
      'changed_meanwhile',
    ],
  },
});
