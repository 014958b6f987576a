import { readRows, sql, type RawBuilder, readValue } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { Role, UserId } from '../../platform/database/schema.ts';
import { topicsOf, type AuditKind } from './audit-kinds.ts';
import type { Change } from './diff-values.ts';
import type { Actor } from './record-audit.ts';

export interface LoggedEntry {
  entryId: number;
  at: Date;
  action: string;
  subject: string;
  /** The present name of the campaign that the entry is about; null if the campaign was deleted, or the entry is about something else. */
  campaignName: string | null;
  /** The present name of the draft or template that the entry is about; null as above. */
  draftName: string | null;
  /** Who acted. */
  userId: UserId;
  /** null: the user was deleted. */
  userName: string | null;
  /** The member that an entry about members is about; null: deleted, or the entry is about something else. */
  memberName: string | null;
  address: string;
  apiKeyId: number | null;
  /** Of entries about members and invitations. */
  givenRole: Role | null;
  formerRole: Role | null;
  /** Null: nothing to compare. */
  changes: Change[] | null;
}

export interface AuditPage {
  entries: LoggedEntry[];
  /** The cursor of the next page; null: this was the last page. */
  next: number | null;
}

/** The name of an entry's campaign in this workspace. The `case` keeps texts that are no id from being parsed as one. */
const nameOfCampaign = sql<string | null>`(
  select c.name from campaigns c
  where c.public_id = case when audit_log.action like 'campaign.%' then audit_log.subject::uuid end
    and c.workspace_id = audit_log.workspace_id and c.deleted_at is null)`;

const nameOfDraft = sql<string | null>`(
  select d.name from drafts d
  where d.draft_id = case when audit_log.action like any(array['draft.%', 'template.%']) then audit_log.subject::uuid end
    and d.workspace_id = audit_log.workspace_id)`;

const nameOfUser = sql<string | null>`(
  select u.user_name from users u where u.user_id = audit_log.user_id and u.deleted_at is null)`;

/** Entries about invitations name these, which are gone once they were used. */
const nameOfMember = sql<string | null>`(
  select u.user_name from users u
  where u.user_id = case when audit_log.action = any(array['member.joined', 'member.role_changed', 'member.removed', 'member.left',
      'workspace.handed_over']) then audit_log.subject::bigint end
    and u.deleted_at is null)`;

/** Which entries of a workspace's log are wanted; undefined: all. */
export interface LogFilter {
  userId?: UserId | undefined;
  kind?: AuditKind | undefined;
}

export interface PageOfLog {
  limit: number;
  /** The last entry of the previous page: entries added meanwhile neither shift nor repeat the next page. */
  before: number | null;
}

/** Entries that are read at most for one page, however few of them a filter lets through. */
export const SCAN_LIMIT = 10_000;

/**
 * Returns the workspace's audit log, newest first, at most `limit` entries (contract §4, list_audit_log). With a filter that few entries
 * match, a page may have fewer, or none, and still have a next one.
 */
export function listAuditLog(
  { db }: { db: Connection },
  { workspaceId }: Actor,
  { userId, kind, ...page }: PageOfLog & LogFilter,
): Promise<AuditPage> {
  const isWanted = sql<boolean>`
    (${userId ?? null}::bigint is null or audit_log.user_id = ${userId ?? null})
    and (${kind ?? null}::text is null or split_part(audit_log.action, '.', 1) = any(${kind ? topicsOf(kind) : []}::text[]))`;
  return listEntries(db, { isOfLog: sql<boolean>`audit_log.workspace_id = ${workspaceId}`, isWanted }, page);
}

/** Entries that are read at once for an export. */
const EXPORT_STEP = 500;

/** Yields the workspace's whole audit log in steps, newest first, each read when it is asked for. */
export function readAuditLog(deps: { db: Database }, actor: Actor, filter: LogFilter): AsyncGenerator<LoggedEntry[]> {
  return readPages((page) => listAuditLog(deps, actor, { ...filter, ...page }));
}

/** Yields all of `listSecurityLog` in the same way. */
export function readSecurityLog(deps: { db: Database }, actor: Actor): AsyncGenerator<LoggedEntry[]> {
  return readPages((page) => listSecurityLog(deps, actor, page));
}

async function* readPages(readPage: (page: PageOfLog) => Promise<AuditPage>): AsyncGenerator<LoggedEntry[]> {
  for (let before: number | null = null; ;) {
    const { entries, next }: AuditPage = await readPage({ limit: EXPORT_STEP, before });
    yield entries;
    if (next === null) return;
    before = next;
  }
}

/** Returns the sign-ins of the person and the changes of their account, in whichever workspace they are logged; newest first. */
export function listSecurityLog({ db }: { db: Database }, { userId }: Actor, page: PageOfLog): Promise<AuditPage> {
  // As in the condition of the index.
  const isOfLog = sql<boolean>`audit_log.user_id = ${userId} and audit_log.action like 'user.%'`;
  return listEntries(db, { isOfLog, isWanted: sql<boolean>`true` }, page);
}

async function listEntries(
  db: Connection,
  // The first is by an index.
  { isOfLog, isWanted }: Record<'isOfLog' | 'isWanted', RawBuilder<boolean>>,
  { limit, before }: PageOfLog,
): Promise<AuditPage> {
  // Of an entry that has been removed for its age nothing is left behind it either: the comparison is null, and the page empty.
  const isLater =
    before === null
      ? sql`true`
      : sql`(at, entry_id) < (select at, entry_id from audit_log where ${isOfLog} and entry_id = ${before})`;
  const found = await readRows<LoggedEntry>(db)`
    select entry_id as "entryId", at, action, subject, address, user_id as "userId", api_key_id as "apiKeyId", given_role as "givenRole",
           former_role as "formerRole", changes, ${nameOfCampaign} as "campaignName", ${nameOfDraft} as "draftName",
           ${nameOfUser} as "userName", ${nameOfMember} as "memberName"
    from (select * from audit_log where ${isOfLog} and ${isLater} order by at desc, entry_id desc limit ${SCAN_LIMIT}) audit_log
    where ${isWanted} order by at desc, entry_id desc limit ${limit + 1}`;
  const entries = found.slice(0, limit);
  if (found.length > limit) return { entries, next: entries.at(-1)?.entryId ?? null };
  const next = await readValue<number>(db)`
    select entry_id from audit_log where ${isOfLog} and ${isLater}
    order by at desc, entry_id desc offset ${SCAN_LIMIT - 1} limit 1`;
  return { entries, next: next ?? null };
}
