import { listAuditLog } from '../../../workspaces/audit/list-audit-log.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { listAuditLogBody, listAuditLogData } from '../../contract/api-keys.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';

export function listAuditLogOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/user/list_audit_log',
    access: 'bearer',
    scope: 'admin',
    tag: 'Users',
    summary: 'See what was done in your name, newest first',
    description:
      'Sign-ups and sign-ins, failed ones too, and whatever changes your password, tokens, profile, API keys, campaigns and groups. Entries are kept for a year.',
    body: listAuditLogBody,
    data: listAuditLogData,
    errors: [],
    async handle({ body, actor }) {
      const page = { limit: body.limit, before: readCursor(body.cursor) ?? null };
      const { entries, next } = await listAuditLog(deps, actor, page);
      return {
        entries: entries.map(({ at, action, subject, campaignName, address, apiKeyId }) => ({
          at: at.toISOString(),
          action,
          subject,
          address,
          ...(campaignName !== null && { campaign_name: campaignName }),
          ...(apiKeyId !== null && { api_key_id: apiKeyId }),
        })),
        next_cursor: writeCursor(next),
      };
    },
  });
}
