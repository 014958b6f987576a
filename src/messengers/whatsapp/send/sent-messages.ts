/** The messages of the last week: to answer retry receipts, also after a restart, and to poll channels for their views. */
import { createHash } from 'node:crypto';
import { execute, readRow, readRows, readValue, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { clearSomeRows } from '../../../platform/database/clear-old-rows.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

const RETENTION_DAYS = 7;
const CLEARED_PER_STEP = 5_000;

export interface StoredMessage {
  messageId: string;
  chatId: string;
  message: Uint8Array;
  /** The id of the message that it edits. Default is none. */
  edits?: string | undefined;
}

/**
 * Stores a message before it leaves. Equal messages to several chats are stored once. Resolves to true if its secret derives from the key
 * of the link: it left so before, under an earlier version, or edits a message that did.
 */
export async function storeMessage(
  db: Connection,
  accountId: AccountId,
  { messageId, chatId, message, edits = messageId }: StoredMessage,
): Promise<boolean> {
  const hash = createHash('sha256').update(message).digest();
  const isOfLink = await readValue<boolean>(db)`
    with post as (
      insert into whatsapp_posts (account_id, post_hash, message, sent_at)
      values (${accountId}, ${hash}, ${Buffer.from(message)}, campanile_now())
      on conflict (account_id, post_hash) do update set sent_at = excluded.sent_at
      where whatsapp_posts.sent_at < excluded.sent_at - interval '1 hour'
    )
    insert into whatsapp_sent (account_id, message_id, chat_id, post_hash, sent_at, has_link_secret)
    values (${accountId}, ${messageId}, ${chatId}, ${hash}, campanile_now(), coalesce((
      select has_link_secret from whatsapp_sent where account_id = ${accountId} and message_id = ${edits}), false))
    on conflict (account_id, message_id) do update set sent_at = excluded.sent_at
    returning has_link_secret as "isOfLink"`;
  return isOfLink ?? false;
}

export interface FoundMessage {
  message: Buffer;
  /** As `storeMessage` returns it. */
  isOfLink: boolean;
}

/** The message with that id in that chat. Undefined if it is too old, or was not sent by this account. */
export async function findMessage(
  db: Connection,
  accountId: AccountId,
  { messageId, chatId }: { messageId: string; chatId: string },
): Promise<FoundMessage | undefined> {
  return readRow<FoundMessage>(db)`
    select p.message, s.has_link_secret as "isOfLink" from whatsapp_sent s join whatsapp_posts p using (account_id, post_hash)
    where s.account_id = ${accountId} and s.message_id = ${messageId} and s.chat_id = ${chatId}`;
}

/** Those of these messages that are stored, in the given order. */
export async function findStored(
  db: Connection,
  accountId: AccountId,
  { chatId, messageIds }: { chatId: string; messageIds: readonly string[] },
): Promise<string[]> {
  const rows = await readRows<{ message_id: string }>(db)`
    select message_id from whatsapp_sent
    where account_id = ${accountId} and message_id = any(${messageIds}::text[]) and chat_id = ${chatId}`;
  const found = new Set(rows.map((row) => row.message_id));
  return messageIds.filter((messageId) => found.has(messageId));
}

export interface NumberedPost {
  chatId: string;
  messageId: string;
  /** The number that a channel's server gave it; undefined if it is not known. */
  serverId: number | undefined;
}

export async function storeServerIds(
  db: Connection,
  accountId: AccountId,
  posts: readonly NumberedPost[],
): Promise<void> {
  await execute(db)`
    update whatsapp_sent s set server_id = n.server_id
    from unnest(${posts.map(({ messageId }) => messageId)}::text[], ${posts.map(({ chatId }) => chatId)}::text[],
                ${posts.map(({ serverId }) => serverId ?? null)}::bigint[]) n (message_id, chat_id, server_id)
    where s.account_id = ${accountId} and s.message_id = n.message_id and s.chat_id = n.chat_id`;
}

/** The posts to channels in the last days, and their age. */
export async function listChannelPosts(
  db: Connection,
  accountId: AccountId,
  days: number,
): Promise<Array<NumberedPost & { ageMs: number }>> {
  const rows = await readRows<{ chatId: string; messageId: string; serverId: number | null; ageMs: number }>(db)`
    select chat_id as "chatId", message_id as "messageId", server_id as "serverId",
           (extract(epoch from campanile_now() - sent_at) * 1000)::float8 as "ageMs"
    from whatsapp_sent
    where account_id = ${accountId} and chat_id like '%@newsletter'
      and sent_at > campanile_now() - ${days} * interval '1 day'`;
  return rows.map(({ serverId, ...post }) => ({ ...post, serverId: serverId ?? undefined }));
}

/** Deletes a message: retry receipts for it are no longer answered, and it counts as not sent. */
export async function deleteMessage(
  db: Connection,
  accountId: AccountId,
  { messageId, chatId }: { messageId: string; chatId: string },
): Promise<void> {
  await execute(db)`
    delete from whatsapp_sent
    where account_id = ${accountId} and message_id = ${messageId} and chat_id = ${chatId}`;
}

/** Retention: deletes some of the old messages and uploads. False when none was left. */
export async function deleteOldMessages(db: Database, log?: Log): Promise<boolean> {
  const old = sql`campanile_now() - ${RETENTION_DAYS} * interval '1 day'`;
  const isOld: Array<[table: string, isOld: RawBuilder<unknown>]> = [
    ['whatsapp_sent', sql`o.sent_at < ${old}`],
    // An hour later: `sent_at` of a message is updated at most once an hour.
    ['whatsapp_posts', sql`o.sent_at < ${old} - interval '1 hour'`],
    ['whatsapp_uploads', sql`o.uploaded_at < ${old}`],
  ];
  let removed = 0;
  for (const [table, rows] of isOld)
    removed += await clearSomeRows({ db, log }, { table, owner: 'account_id', isOld: rows, limit: CLEARED_PER_STEP });
  return removed > 0;
}
