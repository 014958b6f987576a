/** The users' operations on their own notices (contract §4). */
import { execute, readCount, readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { NOTICE_KINDS, type NoticeKind } from './kinds.ts';
import { readPreferences, type Notice } from './notice-store.ts';

/** The newest first, without the kinds that the person does not want to see. `next`: where to read on; null at the end. */
export async function listNotices(
  { db }: { db: Database },
  { userId }: Actor,
  { limit, before }: { limit: number; before: number | null },
): Promise<{ notices: Notice[]; unreadCount: number; next: number | null }> {
  const kinds = await shownKinds(db, userId);
  const found = await readRows<Notice>(db)`
    select notice_id as "noticeId", kind, at, read_at is not null as "isRead", workspace_id as "workspaceId", data from notices
    where user_id = ${userId} and kind = any(${kinds}::text[]) and (${before}::bigint is null or notice_id < ${before})
    order by notice_id desc limit ${limit + 1}`;
  const notices = found.slice(0, limit);
  return {
    notices,
    unreadCount: await countUnread(db, userId, kinds),
    next: found.length > limit ? (notices.at(-1)?.noticeId ?? null) : null,
  };
}

/** Everything up to a notice has been read. */
export async function readNotices(
  { db }: { db: Database },
  { userId }: Actor,
  upTo: number,
): Promise<{ unreadCount: number }> {
  await execute(db)`
    update notices set read_at = campanile_now() where user_id = ${userId} and notice_id <= ${upTo} and read_at is null`;
  return { unreadCount: await countUnread(db, userId, await shownKinds(db, userId)) };
}

async function shownKinds(db: Connection, userId: Actor['userId']): Promise<NoticeKind[]> {
  const ways = await readPreferences(db, userId);
  return NOTICE_KINDS.filter((kind) => ways[kind].bell);
}

function countUnread(db: Connection, userId: Actor['userId'], kinds: readonly NoticeKind[]): Promise<number> {
  return readCount(db)`
    select count(*) from notices where user_id = ${userId} and kind = any(${kinds}::text[]) and read_at is null`;
}
