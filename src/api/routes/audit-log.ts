import type { Database } from '../../platform/database/connect.ts';
import {
  listAuditLog,
  listSecurityLog,
  type AuditPage,
  type PageOfLog,
} from '../../workspaces/audit/list-audit-log.ts';
import type { auditLog } from '../contract/audit-log.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const auditLogHandlers: Handlers<typeof auditLog, { db: Database }> = {
  listAuditLog: async (deps, { body, actor }) => toWire(await listAuditLog(deps, actor, pageOf(body))),

  listSecurityLog: async (deps, { body, actor }) => toWire(await listSecurityLog(deps, actor, pageOf(body))),
};

function pageOf({ limit, cursor }: { limit: number; cursor?: string | undefined }): PageOfLog {
  return { limit, before: readCursor(cursor) ?? null };
}

function toWire({ entries, next }: AuditPage) {
  return {
    entries: entries.map(({ at, action, subject, address, ...more }) => ({
      at: at.toISOString(),
      action,
      subject,
      ...(more.userName !== null && { user_name: more.userName }),
      ...(more.memberName !== null && { member_name: more.memberName }),
      ...(more.givenRole !== null && { given_role: more.givenRole }),
      ...(more.formerRole !== null && { former_role: more.formerRole }),
      address,
      ...(more.campaignName !== null && { campaign_name: more.campaignName }),
      ...(more.apiKeyId !== null && { api_key_id: more.apiKeyId }),
    })),
    next_cursor: writeCursor(next),
  };
}
