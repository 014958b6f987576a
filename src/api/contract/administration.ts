/** Administration of users, invitations and the installation (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import {
  count,
  currentPassword,
  cursor,
  instant,
  nextCursor,
  optional,
  pageLimit,
  text,
  userId,
  named,
  objects,
} from './fields.ts';
import { createUserBody, profileWithQuotas } from './users.ts';

const userBody = named('OneUser', { user_id: userId });
const emailBody = named('EmailAddress', { email: createUserBody.shape.email });

const listedUser = z.object({
  user_id: count,
  user_name: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  is_admin: z.boolean(),
  email_verified: z.boolean(),
  created_at: instant,
  last_sign_in_at: instant.nullable().describe('`null`: none within the last year.'),
  disabled_at: instant.nullable().describe('`null`: the user is enabled.'),
});

const unsent = objects({
  workspace_id: count,
  name: z.string(),
  queued: count.describe('Posts of runs that have begun.'),
  due_runs: count.describe('Runs that are due and can still begin.'),
  planned_runs: count.describe('Runs that are due later.'),
  missed_runs: count.describe('Runs that are due for over 6 hours, and will be missed.'),
}).meta({
  id: 'UnsentPosts',
  description:
    'The workspaces that the user owns, with what has not been sent. Nothing of it leaves while the user is disabled; it leaves once the user is enabled. Paused campaigns do not count.',
});

const finding = z.object({
  check: z.string().describe('What was checked, such as `database`, `disk` or `backups`. Values may be added.'),
  level: z
    .enum(['ok', 'warning', 'error'])
    .describe('`error`: something is broken or data is at risk. `warning`: it works, and needs attention.'),
  message: z.string().describe('The result, in English.'),
  advice: z.string().nullable().describe('What to do. `null`: nothing.'),
});

const shared = { tag: 'Administration', access: 'token', role: 'none' } as const;

export const administration = defineOperations(shared, {
  invite: {
    path: '/api/v1/user/invite',
    summary: 'Invite a user',
    description:
      'For administrators, unless sign-up is closed. An invitation works once, within 7 days. A new invitation of the same address replaces it. Limited to 100 an hour.',
    body: emailBody,
    data: z.object({
      code: z
        .string()
        .optional()
        .describe('The code for `accept_invite`. Present only if the service sends no mails: pass it on yourself.'),
    }),
    errors: ['admin_required', 'signup_closed', 'login_taken', 'too_many_attempts', 'sign_ins_busy'],
  },
  listInvitations: {
    path: '/api/v1/admin/list_invitations',
    idempotency: 'always',
    summary: 'List pending invitations',
    data: z.object({ invitations: objects({ email: z.string(), expires_at: instant }) }),
    errors: ['admin_required'],
  },
  withdrawInvitation: {
    path: '/api/v1/admin/withdraw_invitation',
    summary: 'Withdraw an invitation',
    body: emailBody,
    errors: ['admin_required', 'invitation_not_found'],
  },
  listUsers: {
    path: '/api/v1/admin/list_users',
    idempotency: 'always',
    summary: 'List all users',
    description: "For administrators, newest first. Administrators cannot see users' posts.",
    body: z.object({
      search: optional(text(1, 100)).describe('Words of a name or e-mail address, in any order.'),
      limit: pageLimit(200, 50),
      cursor,
    }),
    data: z.object({ users: z.array(listedUser), next_cursor: nextCursor }),
    errors: ['admin_required'],
  },
  getUser: {
    path: '/api/v1/admin/get_user',
    idempotency: 'always',
    summary: 'Get a user',
    description:
      "Returns the user's `get_profile` data, whether the user is disabled, and how much the workspaces of the user have not sent.",
    body: userBody,
    data: profileWithQuotas.extend({ disabled_at: instant.nullable(), unsent }),
    errors: ['user_not_found'],
  },
  disableUser: {
    path: '/api/v1/admin/disable_user',
    idempotency: 'always',
    summary: 'Disable a user',
    description:
      "Within a second, the user's tokens, API keys and password are rejected. No more posts of the workspaces that the user owns are sent, by any author, except the turn in hand. No data is deleted.",
    body: userBody,
    data: z.object({ unsent }),
    errors: ['user_not_found', 'not_for_oneself', 'changed_meanwhile'],
  },
  enableUser: {
    path: '/api/v1/admin/enable_user',
    idempotency: 'always',
    summary: 'Enable a disabled user',
    description: "The campaigns of the user's workspaces continue.",
    body: userBody,
    data: z.object({ unsent }),
    errors: ['user_not_found', 'not_for_oneself'],
  },
  resetFactors: {
    path: '/api/v1/admin/reset_factors',
    requiresRecentAuth: true,
    summary: "Remove a user's second factors",
    description:
      'For a user who has lost them. Deletes the recovery codes, too. The password alone signs in from then on, and the user is notified by mail.',
    body: userBody,
    errors: ['user_not_found', 'not_for_oneself'],
  },
  deleteUser: {
    path: '/api/v1/admin/delete_user',
    summary: 'Delete a user and all their data',
    description: 'Has the effect of `delete_account`. An incorrect `password` is a 400 on that field.',
    body: userBody.extend({ password: currentPassword }).meta({ id: 'DeleteUser' }),
    errors: [
      'hand_over_first',
      'user_not_found',
      'not_for_oneself',
      'changed_meanwhile',
      'too_many_attempts',
      'sign_ins_busy',
    ],
  },
  getInstallation: {
    path: '/api/v1/admin/get_installation',
    idempotency: 'always',
    summary: 'Check the installation',
    description:
      'For administrators: the findings of `campanile doctor`, for the machine of the process that answers. They are cached for 5 seconds.',
    data: z.object({ examined_at: instant, findings: z.array(finding) }),
    errors: ['admin_required'],
  },
});
