import type { Database } from '../../platform/database/statements.ts';
import {
  listAuditLog,
  listSecurityLog,
  readAuditLog,
  type AuditPage,
  type LoggedEntry,
  type PageOfLog,
} from '../../workspaces/audit/list-audit-log.ts';
import type { auditLog } from '../contract/audit-log.ts';
import type { Handlers } from '../operation.ts';
import { beginCsv, writeCsv } from './csv.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const auditLogHandlers: Handlers<typeof auditLog, { db: Database; timeZone: string }> = {
  async listAuditLog(deps, { body, actor }) {
    return describePage(await listAuditLog(deps, actor, { ...body, ...pageOf(body) }));
  },

  async exportAuditLog(deps, asked) {
    const form = await beginCsv(deps, asked, 'audit-log');
    return writeCsv(COLUMNS, readAuditLog(deps, asked.actor, asked.body), toCells, form);
  },

  listSecurityLog: async (deps, { body, actor }) => describePage(await listSecurityLog(deps, actor, pageOf(body))),
};

/** In this order. A new column is added at the end. */
const COLUMNS = [
  'at',
  'action',
  'subject',
  'campaign_name',
  'draft_name',
  'user_id',
  'user_name',
  'member_name',
  'former_role',
  'given_role',
  'changes',
  'address',
  'api_key_id',
] as const;

function toCells({ changes, ...entry }: LoggedEntry) {
  return {
    ...entry,
    changes: changes?.map(({ field, before, after }) => `${field}: ${before ?? ''} → ${after ?? ''}`).join('; '),
  };
}

function pageOf({ limit, cursor }: { limit: number; cursor?: string | undefined }): PageOfLog {
  return { limit, before: readCursor(cursor) ?? null };
}

function describePage({ entries, next }: AuditPage) {
  return { entries, nextCursor: writeCursor(next) };
}
