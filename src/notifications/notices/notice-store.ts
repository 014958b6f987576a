/** The SQL of notices, as the person sees them. */
import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { NOTICE_KINDS, defaultPreferences, type NoticeKind, type NoticeChannels } from './kinds.ts';

export interface Notice {
  noticeId: number;
  kind: NoticeKind;
  at: Date;
  isRead: boolean;
  /** null: of version 0.1.0. */
  workspaceId: WorkspaceId | null;
  data: NoticeData;
}

/** The event's data that a notice needs. */
export interface NoticeData {
  campaign_id?: string;
  approval_id?: string;
  /** Of the account that the notice is about. */
  account_id?: AccountId;
  /** Of the campaign, of the post that waits or waited, or of the account; null: the account has none. */
  name?: string | null;
  /** Of the webhook. */
  url?: string;
  reason?: string | null;
  due_at?: string;
  last_good_at?: string | null;
  /** Since when the account cannot send. */
  down_since?: string;
  /** How many deliveries of the account were handed over. */
  handed_over?: number;
}

/** Returns a user's channels for each kind. */
export async function readPreferences(db: Connection, userId: UserId): Promise<Record<NoticeKind, NoticeChannels>> {
  const { rows } = await sql<NoticeChannels & { kind: string }>`
    select kind, bell, browser, email from notice_choices where user_id = ${userId}`.execute(db);
  const chosen = new Map(rows.map(({ kind, ...ways }) => [kind, ways]));
  return Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, chosen.get(kind) ?? defaultPreferences(kind)])) as Record<
    NoticeKind,
    NoticeChannels
  >;
}

/** Returns the user's notices of these kinds, newest first, older than the notice `before`. */
export async function selectNotices(
  db: Connection,
  { userId, kinds, before, limit }: { userId: UserId; kinds: readonly string[]; before: number | null; limit: number },
): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    select notice_id as "noticeId", kind, at, read_at is not null as "isRead", workspace_id as "workspaceId", data from notices
    where user_id = ${userId} and kind = any(${[...kinds]}::text[]) and (${before}::bigint is null or notice_id < ${before})
    order by notice_id desc limit ${limit}`.execute(db);
  return rows;
}

export async function countUnread(db: Connection, userId: UserId, kinds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from notices
    where user_id = ${userId} and kind = any(${[...kinds]}::text[]) and read_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Removes notices of events over 90 days ago. */
export function clearOldNotices(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.at < campanile_now() - interval '90 days'`;
  return clearOldRows(deps, { table: 'notices', owner: 'user_id', isOld });
}
