/** The audit log (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { count, cursor, instant, nextCursor, pageLimit } from './fields.ts';
import { memberRole } from './workspaces.ts';

const entry = z.object({
  at: instant,
  action: z.string().meta({ examples: ['campaign.accepted'] }),
  subject: z
    .string()
    .meta({ description: 'What the action was done to, such as the id of a campaign or the name of a key.' }),
  campaign_name: z
    .string()
    .optional()
    .meta({ description: 'The current name of the campaign in `subject`. Absent once it is deleted.' }),
  user_name: z.string().optional().meta({ description: 'Who acted. Absent once the user is deleted.' }),
  member_name: z
    .string()
    .optional()
    .meta({ description: 'The user name of the member whose id is in `subject`, of entries about members.' }),
  given_role: memberRole.optional().meta({
    description: 'The role that the member was given, or that the invitation gives.',
  }),
  former_role: memberRole.optional().meta({ description: 'The role that the member had before.' }),
  address: z.string().meta({ description: 'The client address of the request.' }),
  api_key_id: count.optional().meta({ description: 'The API key of the request. Absent if it came with a token.' }),
});

const page = z.object({ entries: z.array(entry), next_cursor: nextCursor });

export const auditLog = defineOperations('Users', {
  listAuditLog: {
    path: '/api/v1/user/list_audit_log',
    access: 'admin',
    role: 'owner',
    idempotency: 'always',
    summary: 'List your audit log',
    description:
      'Newest first: sign-ups and sign-ins, failed ones too, and changes of password, tokens, profile, API keys, campaigns and groups. Entries are kept for a year.',
    body: z.object({ limit: pageLimit(200, 50), cursor }),
    data: page,
  },
  listSecurityLog: {
    path: '/api/v1/user/list_security_log',
    access: 'admin',
    role: 'none',
    isPersonal: true,
    idempotency: 'always',
    summary: 'List your sign-ins and the changes of your account',
    description:
      'Newest first: sign-ins, failed ones too, and changes of password, tokens, second factors and profile, in all workspaces. Entries are kept for a year.',
    body: z.object({ limit: pageLimit(200, 50), cursor }),
    data: page,
  },
});
