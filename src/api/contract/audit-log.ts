/** The audit log (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { AUDIT_KINDS } from '../../workspaces/audit/audit-kinds.ts';
import { count, cursor, instant, nextCursor, optional, pageLimit, userId, named, objects } from './fields.ts';
import { csvFormat, longText } from './long-text.ts';
import { memberRole } from './workspaces.ts';

const entry = named('AuditEntry', {
  at: instant,
  action: z.string().meta({ examples: ['campaign.accepted'] }),
  subject: z.string().describe('What the action was done to, such as the id of a campaign or the name of a key.'),
  campaign_name: z
    .string()
    .optional()
    .describe('The current name of the campaign in `subject`. Absent once it is deleted.'),
  draft_name: z.string().optional().describe('The same of a draft or template.'),
  user_id: count.describe('Who acted.'),
  user_name: z.string().optional().describe('Absent once the user is deleted.'),
  member_name: z
    .string()
    .optional()
    .describe('The user name of the member whose id is in `subject`, of entries about members.'),
  given_role: memberRole.optional().describe('The role that the member was given, or that the invitation gives.'),
  former_role: memberRole.optional().describe('The role that the member had before.'),
  changes: objects({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })
    .optional()
    .describe(
      'What the action changed. Of lists the items removed and added, at most 20 each, then `+` and the number of others. Of two long texts the words that differ, with three around them. A value of more than 200 characters ends in `…`. `null`: no value.',
    ),
  address: z.string().describe('The client address of the request.'),
  api_key_id: count.optional().describe('The API key of the request. Absent if it came with a token.'),
});

const filter = {
  user_id: optional(userId).describe('Only what this user did.'),
  kind: optional(z.enum(AUDIT_KINDS)).describe('Only entries about this.'),
};

const page = z.object({ entries: z.array(entry), next_cursor: nextCursor });

const shared = { tag: 'Users', access: 'admin' } as const;

export const auditLog = defineOperations(shared, {
  listAuditLog: {
    path: '/api/v1/user/list_audit_log',
    idempotency: 'always',
    summary: 'List the audit log of your workspace',
    description:
      'Newest first: who changed what in the workspace, and sign-ins and changes of the user whose default workspace it is. A filtered page may have fewer than `limit` entries, and still a next one.',
    body: z.object({ ...filter, limit: pageLimit(200, 50), cursor }),
    data: page,
    longAnswer: 'pieces',
  },
  exportAuditLog: {
    path: '/api/v1/user/export_audit_log',
    idempotency: 'always',
    summary: 'Export the audit log of your workspace as CSV',
    description: 'All entries of `list_audit_log`, newest first, in the format of `export-campaign`.',
    body: z.object({ ...filter, format: csvFormat }),
    data: longText,
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': 'A file name.' },
    longAnswer: 'pieces',
  },
  listSecurityLog: {
    path: '/api/v1/user/list_security_log',
    role: 'none',
    isPersonal: true,
    idempotency: 'always',
    summary: 'List your sign-ins and the changes of your account',
    description:
      'Newest first: sign-ins, failed ones too, and changes of password, tokens, second factors and profile, in all workspaces. Entries are kept for a year.',
    body: z.object({ limit: pageLimit(200, 50), cursor }),
    data: page,
    longAnswer: 'pieces',
  },
});
