/**
 * What was posted, kept for phones that could not decrypt it and ask again, also after a restart, and to know what to ask channels
 * about.
 */
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { clearSomeRows } from '../../../platform/database/clear-old-rows.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import type { Log } from '../../../platform/log/log.ts';

const RETENTION_DAYS = 7;
const CLEARED_PER_STEP = 5_000;

/** Notes a post before it leaves. What is said is stored once, however many chats it goes to. */
export async function rememberPost(
  db: Connection,
  accountId: number,
  { messageId, chatId, message }: { messageId: string; chatId: string; message: Uint8Array },
): Promise<void> {
  const hash = createHash('sha256').update(message).digest();
  await sql`
    with post as (
      insert into whatsapp_posts (account_id, post_hash, message, sent_at)
      values (${accountId}, ${hash}, ${Buffer.from(message)}, campanile_now())
      on conflict (account_id, post_hash) do update set sent_at = excluded.sent_at
      where whatsapp_posts.sent_at < excluded.sent_at - interval '1 hour'
    )
    insert into whatsapp_sent (account_id, message_id, chat_id, post_hash, sent_at)
    values (${accountId}, ${messageId}, ${chatId}, ${hash}, campanile_now())
    on conflict (account_id, message_id) do update set sent_at = excluded.sent_at`.execute(db);
}

/** The post with that id in that chat; undefined when it is too old, or was never sent from here. */
export async function recallPost(
  db: Connection,
  accountId: number,
  { messageId, chatId }: { messageId: string; chatId: string },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ message: Buffer }>`
    select p.message from whatsapp_sent s join whatsapp_posts p using (account_id, post_hash)
    where s.account_id = ${accountId} and s.message_id = ${messageId} and s.chat_id = ${chatId}`.execute(db);
  return rows[0]?.message;
}

/** A post to a channel, and the number that the server has given it; undefined: not known. */
export interface NumberedPost {
  chatId: string;
  messageId: string;
  serverId: number | undefined;
}

/** Notes the numbers of posts. */
export async function numberPosts(db: Connection, accountId: number, posts: readonly NumberedPost[]): Promise<void> {
  await sql`
    update whatsapp_sent s set server_id = n.server_id
    from unnest(${posts.map(({ messageId }) => messageId)}::text[], ${posts.map(({ chatId }) => chatId)}::text[],
                ${posts.map(({ serverId }) => serverId ?? null)}::bigint[]) n (message_id, chat_id, server_id)
    where s.account_id = ${accountId} and s.message_id = n.message_id and s.chat_id = n.chat_id`.execute(db);
}

/** What was posted to channels in the last days, and how long ago. */
export async function listChannelPosts(
  db: Connection,
  accountId: number,
  days: number,
): Promise<Array<NumberedPost & { ageMs: number }>> {
  const { rows } = await sql<{ chatId: string; messageId: string; serverId: number | null; ageMs: number }>`
    select chat_id as "chatId", message_id as "messageId", server_id as "serverId",
           (extract(epoch from campanile_now() - sent_at) * 1000)::float8 as "ageMs"
    from whatsapp_sent
    where account_id = ${accountId} and chat_id like '%@newsletter'
      and sent_at > campanile_now() - ${days} * interval '1 day'`.execute(db);
  return rows.map(({ serverId, ...post }) => ({ ...post, serverId: serverId ?? undefined }));
}

/** Nobody gets the post again who asks for it, and it counts as not sent. */
export async function dropPost(
  db: Connection,
  accountId: number,
  { messageId, chatId }: { messageId: string; chatId: string },
): Promise<void> {
  await sql`
    delete from whatsapp_sent
    where account_id = ${accountId} and message_id = ${messageId} and chat_id = ${chatId}`.execute(db);
}

/** Drops some of what is too old to be asked for, or to be used again; false when nothing was left to drop. */
export async function forgetOldPosts(db: Database, log?: Log): Promise<boolean> {
  const old = sql`campanile_now() - ${RETENTION_DAYS} * interval '1 day'`;
  const isOld: Array<[table: string, isOld: RawBuilder<unknown>]> = [
    ['whatsapp_sent', sql`o.sent_at < ${old}`],
    // An hour older: that is how far the time of a post may lag behind that of its last sending.
    ['whatsapp_posts', sql`o.sent_at < ${old} - interval '1 hour'`],
    ['whatsapp_uploads', sql`o.uploaded_at < ${old}`],
  ];
  let removed = 0;
  for (const [table, rows] of isOld)
    removed += await clearSomeRows({ db, log }, { table, owner: 'account_id', isOld: rows, limit: CLEARED_PER_STEP });
  return removed > 0;
}
