import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { Role, Schema, UserId } from '../../platform/database/schema.ts';
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
  /** The present name of the draft that the entry is about; null as above. */
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
  where d.draft_id = case when audit_log.action like 'draft.%' then audit_log.subject::uuid end
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
export async function* readAuditLog(
  deps: { db: Database },
  actor: Actor,
  filter: LogFilter,
): AsyncGenerator<LoggedEntry[]> {
  for (let before: number | null = null; ;) {
    const { entries, next }: AuditPage = await listAuditLog(deps, actor, { ...filter, limit: EXPORT_STEP, before });
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

interface Wanted {
  /** By an index. */
  isOfLog: RawBuilder<boolean>;
  isWanted: RawBuilder<boolean>;
}

async function listEntries(
  db: Connection,
  { isOfLog, isWanted }: Wanted,
  { limit, before }: PageOfLog,
): Promise<AuditPage> {
  // Of an entry that has been removed for its age nothing is left behind it either: the comparison is null, and the page empty.
  const isLater = before === null ? sql<boolean>`true` : isBefore(isOfLog, before);
  const scanned = sql<Selectable<Schema['audit_log']>>`(
    select * from audit_log where ${isOfLog} and ${isLater} order by at desc, entry_id desc limit ${SCAN_LIMIT})`;
  const found = await db
    .selectFrom(scanned.as('audit_log'))
    .select(['entry_id as entryId', 'at', 'action', 'subject', 'address', 'user_id as userId'])
    .select(['api_key_id as apiKeyId', 'given_role as givenRole', 'former_role as formerRole'])
    .select([sql<Change[] | null>`changes`.as('changes')])
    .select([nameOfCampaign.as('campaignName'), nameOfDraft.as('draftName')])
    .select([nameOfUser.as('userName'), nameOfMember.as('memberName')])
    .where(isWanted)
    .orderBy('at', 'desc')
    .orderBy('entry_id', 'desc')
    .limit(limit + 1)
    .execute();
  const entries = found.slice(0, limit);
  if (found.length > limit) return { entries, next: entries.at(-1)?.entryId ?? null };
  const { rows } = await sql<{ entryId: number }>`
    select entry_id as "entryId" from audit_log where ${isOfLog} and ${isLater}
    order by at desc, entry_id desc offset ${SCAN_LIMIT - 1} limit 1`.execute(db);
  return { entries, next: rows[0]?.entryId ?? null };
}

function isBefore(isOfLog: RawBuilder<boolean>, entryId: number): RawBuilder<boolean> {
  return sql`(at, entry_id) < (select at, entry_id from audit_log where ${isOfLog} and entry_id = ${entryId})`;
}
