import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/connect.ts';
import {
  listAuditLog,
  listSecurityLog,
  readAuditLog,
  type AuditPage,
  type LogFilter,
  type LoggedEntry,
  type PageOfLog,
} from '../../workspaces/audit/list-audit-log.ts';
import type { auditLog } from '../contract/audit-log.ts';
import type { Handlers } from '../operation.ts';
import type { Change } from '../../workspaces/audit/diff-values.ts';
import { writeCsv } from './csv.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const auditLogHandlers: Handlers<typeof auditLog, { db: Database }> = {
  listAuditLog: async (deps, { body, actor }) =>
    toWire(await listAuditLog(deps, actor, { ...pageOf(body), ...filterOf(body) })),

  async exportAuditLog(deps, { body, actor, setHeader }) {
    setHeader('content-disposition', contentDisposition(fileNameOf('audit-log', body.format)));
    return writeCsv(COLUMNS, readAuditLog(deps, actor, filterOf(body)), toCells);
  },

  listSecurityLog: async (deps, { body, actor }) => toWire(await listSecurityLog(deps, actor, pageOf(body))),
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

function toCells(entry: LoggedEntry) {
  return {
    at: entry.at.toISOString(),
    action: entry.action,
    subject: entry.subject,
    campaign_name: entry.campaignName,
    draft_name: entry.draftName,
    user_id: entry.userId,
    user_name: entry.userName,
    member_name: entry.memberName,
    former_role: entry.formerRole,
    given_role: entry.givenRole,
    changes: (entry.changes ?? []).map(writeChange).join('; '),
    address: entry.address,
    api_key_id: entry.apiKeyId,
  };
}

/** In this order: the database keeps none. */
function toWireChange({ field, before, after }: Change): Change {
  return { field, before, after };
}

function writeChange({ field, before, after }: Change): string {
  return `${field}: ${before ?? ''} → ${after ?? ''}`;
}

function filterOf({ user_id: userId, kind }: { user_id?: number | undefined; kind?: LogFilter['kind'] }): LogFilter {
  return { userId: userId as LogFilter['userId'], kind };
}

function pageOf({ limit, cursor }: { limit: number; cursor?: string | undefined }): PageOfLog {
  return { limit, before: readCursor(cursor) ?? null };
}

function toWire({ entries, next }: AuditPage) {
  return {
    entries: entries.map(({ at, action, subject, address, ...more }) => ({
      at: at.toISOString(),
      action,
      subject,
      user_id: more.userId,
      ...(more.userName !== null && { user_name: more.userName }),
      ...(more.memberName !== null && { member_name: more.memberName }),
      ...(more.givenRole !== null && { given_role: more.givenRole }),
      ...(more.formerRole !== null && { former_role: more.formerRole }),
      ...(more.changes !== null && { changes: more.changes.map(toWireChange) }),
      address,
      ...(more.campaignName !== null && { campaign_name: more.campaignName }),
      ...(more.draftName !== null && { draft_name: more.draftName }),
      ...(more.apiKeyId !== null && { api_key_id: more.apiKeyId }),
    })),
    next_cursor: writeCursor(next),
  };
}
