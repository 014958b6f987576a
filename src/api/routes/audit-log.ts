import type { Database } from '../../platform/database/connect.ts';
import { listAuditLog } from '../../workspaces/audit/list-audit-log.ts';
import type { auditLog } from '../contract/audit-log.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const auditLogHandlers: Handlers<typeof auditLog, { db: Database }> = {
  async listAuditLog(deps, { body, actor }) {
    const page = { limit: body.limit, before: readCursor(body.cursor) ?? null };
    const { entries, next } = await listAuditLog(deps, actor, page);
    return {
      entries: entries.map(({ at, action, subject, campaignName, userName, memberName, address, apiKeyId }) => ({
        at: at.toISOString(),
        action,
        subject,
        ...(userName !== null && { user_name: userName }),
        ...(memberName !== null && { member_name: memberName }),
        address,
        ...(campaignName !== null && { campaign_name: campaignName }),
        ...(apiKeyId !== null && { api_key_id: apiKeyId }),
      })),
      next_cursor: writeCursor(next),
    };
  },
};
