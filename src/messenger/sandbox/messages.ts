import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../../database/connect.ts';
import type { Destination, Post, SendResult } from '../messenger.ts';
import { refusePost } from './refuse-post.ts';

/** A post as the members of a sandbox group see it. */
export interface SandboxMessage {
  seq: number;
  messageId: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
  sentAt: Date;
}

/** Members look at their phones no sooner than this after a post, divided by the speed. */
const FIRST_LOOK_MS = 200;

/**
 * Writes the post into each chat, all in one statement. A repeated message id is dropped and answered as sent, as WhatsApp does;
 * a chat that is not the account's is a final refusal, and so is a post that WhatsApp would not take.
 */
export async function sendMessages(
  db: Connection,
  accountId: number,
  post: Post,
  to: readonly Destination[],
  speed: number,
): Promise<SendResult[]> {
  const reason = refusePost(post);
  if (reason !== undefined) return to.map(() => ({ kind: 'refused', reason, final: true }));
  const media = post.media && { ...post.media, sha256: await hashOf(post.media) };
  const write = (whatOfRepeats: ReturnType<typeof sql>) =>
    sql<{ recipients: Array<number | null> }>`
    with account as materialized (
      select from sandbox_accounts where account_id = ${accountId} for key share
    ), chat as materialized (
      select d.ordinal, d.chat_id, d.message_id, c.recipients
      from unnest(${to.map((one) => one.chatId)}::text[], ${to.map((one) => one.messageId)}::text[])
           with ordinality d (chat_id, message_id, ordinal)
      -- A lookup for each, whatever the planner believes of how many chats the account has.
      left join lateral (
        select cardinality(participants) as recipients from sandbox_chats
        where chat_id = d.chat_id and account_id = ${accountId} and exists (select from account) limit 1) c on true
    ), written as (
      insert into sandbox_messages (chat_id, account_id, message_id, text, media_mime, media_size, media_sha256, next_doing_at)
      select chat_id, ${accountId}::bigint, message_id, ${post.text}::text, ${media?.mime ?? null}::text,
             ${media?.size ?? null}::int, ${media?.sha256 ?? null}::bytea,
             case when ${speed}::float8 > 0
                  then campanile_now() + least(${FIRST_LOOK_MS} / nullif(${speed}::float8, 0), 60000) * interval '1 millisecond' end
      from chat where recipients is not null order by ordinal
      ${whatOfRepeats}
    )
    -- Not waited for: what is on the disk only later goes there before the ledger's note that it was sent, in the same log.
    select array_agg(recipients order by ordinal) as recipients, set_config('synchronous_commit', 'off', true) from chat`.execute(
      db,
    );
  const { rows } = await write(sql``).catch((error: unknown) => {
    // Repeats are rare, and to be ready for one costs as much in each row as an index.
    if (!isRepeat(error)) throw error;
    return write(sql`on conflict (chat_id, message_id) do nothing`);
  });
  return to.map((_, index) => {
    const recipients = rows[0]?.recipients[index] ?? null;
    return recipients === null
      ? { kind: 'refused', reason: 'The group no longer exists, or you are not a member of it', final: true }
      : { kind: 'sent', recipients };
  });
}

function isRepeat(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

const hashes = new WeakMap<NonNullable<Post['media']>, Promise<Buffer>>();

/** The hash of what really arrives, worked out once for each file and not once for each turn. */
function hashOf(media: NonNullable<Post['media']>): Promise<Buffer> {
  const known = hashes.get(media);
  if (known) return known;
  const hash = media.load().then((bytes) => createHash('sha256').update(bytes).digest());
  hashes.set(media, hash);
  return hash;
}

/** The posts in a chat, oldest first, after the given one. */
export async function readMessages(
  db: Connection,
  accountId: number,
  chatId: string,
  { after, limit }: { after: number; limit: number },
): Promise<SandboxMessage[]> {
  const { rows } = await sql<{
    seq: number;
    message_id: string;
    text: string;
    media_mime: string | null;
    media_size: number | null;
    media_sha256: Buffer | null;
    sent_at: Date;
  }>`
    select seq, message_id, text, media_mime, media_size, media_sha256, sent_at
    from sandbox_messages
    where chat_id = ${chatId} and account_id = ${accountId} and seq > ${after}
    order by seq limit ${limit}`.execute(db);
  return rows.map((row) => ({
    seq: row.seq,
    messageId: row.message_id,
    text: row.text,
    media:
      row.media_mime !== null && row.media_size !== null && row.media_sha256 !== null
        ? { mime: row.media_mime, size: row.media_size, sha256: row.media_sha256.toString('hex') }
        : null,
    sentAt: row.sent_at,
  }));
}
