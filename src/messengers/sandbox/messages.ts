import { createHash } from 'node:crypto';
import { readRow, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { kindOf } from '../../content/media/sniff.ts';
import { withMentionAll } from '../../content/text/mention-all.ts';
import { isCaption } from '../../content/text/caption.ts';
import type { Log } from '../../platform/log/log.ts';
import type { ArrivedCard, ArrivedFile, ArrivedMessage } from '../../content/post/arrived-message.ts';
import { filesOf, type Destination, type Post, type PostMedia, type SendResult } from '../messenger.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';
import { describeFailure, type Failure } from '../../platform/errors/failures.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { parseWhatsApp } from '../../content/text/parse-whatsapp.ts';
import { TEXT_LIMIT } from '../../content/text/html-to-whatsapp.ts';
import { hasVisible } from '../../content/text/boundaries.ts';

/** Returns the card that members see with a post: below a file there is none. */
export function cardShownWith({ text, media, card }: Post): ArrivedCard | null {
  // Without a text there is no link.
  if (!card || isCaption(text, media)) return null;
  const { url, title, description, picture } = card;
  const file = picture && { mime: picture.mime, size: picture.size, sha256: picture.sha256.toString('hex') };
  return { url, title, description, picture: file };
}

/** The earliest action of a member after a post, divided by the speed. */
const FIRST_ACTIVITY_MS = 200;

/** Sends a post to chats. One result for each destination, in the same order. */
export type SendPost = (sending: Sending) => Promise<SendResult[]>;

interface Sending {
  accountId: AccountId;
  post: Post;
  to: readonly Destination[];
  mayGoOn: () => boolean;
}

const DESTINATIONS_AT_ONCE = 1_000;
const PARALLEL = 4;

/**
 * Writes posts into chats, those of simultaneous calls in one statement. A repeated message id is dropped and counts as sent, as in
 * WhatsApp. A chat in which the account is no member, or no admin where only admins post, and a post that WhatsApp would reject, are refused
 * as final. While its file cannot be read, a post waits.
 */
export function createPostSender({ db, log, speed }: { db: Database; log: Log; speed: number }): SendPost {
  const batch = createBatcher((sendings: Sending[]) => sendTogether(db, sendings, speed), {
    parallel: PARALLEL,
    most: DESTINATIONS_AT_ONCE,
    weigh: ({ to }) => to.length,
    isAboutItem: isDataError,
  });
  return async (sending) => {
    const failure = findPostRejection(sending.post);
    if (failure) return sending.to.map(() => ({ kind: 'refused', ...failure, final: true }));
    try {
      // Before the batch, so that a file that cannot be read holds up no other account.
      await Promise.all(filesOf(sending.post).map(hashOf));
    } catch (error) {
      log.warn({ err: error, accountId: sending.accountId }, 'the file of a post could not be read');
      return sending.to.map(() => FILE_UNREAD);
    }
    return batch.add(sending);
  };
}

const FILE_UNREAD = { kind: 'offline', reason: 'the file could not be read', cooldownMs: 1_000 } as const;
export const NO_LEASE = { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 } as const;

async function sendTogether(db: Database, sendings: Sending[], speed: number): Promise<SendResult[][]> {
  // With a connection at hand, only the statement is waited for.
  return db.connection().execute(async (connection) => {
    const going = sendings.filter(({ mayGoOn }) => mayGoOn());
    const written = going.length > 0 ? await writeMessages(connection, going, speed) : [];
    const results = new Map(going.map((sending, index) => [sending, written[index]]));
    return sendings.map((sending) => results.get(sending) ?? sending.to.map(() => NO_LEASE));
  });
}

async function writeMessages(db: Connection, sendings: Sending[], speed: number): Promise<SendResult[][]> {
  const hashes = await Promise.all(sendings.map(({ post }) => post.media && hashOf(post.media)));
  const files = await Promise.all(sendings.map(({ post }) => listArrived(post)));
  const all = sendings.flatMap(({ accountId, to }, index) => to.map((one) => ({ ...one, accountId, post: index + 1 })));
  const write = (whatOfRepeats: RawBuilder<unknown>) =>
    readRow<{ recipients: Array<number | null>; demoted: boolean[] }>(db)`
    with account as materialized (
      select account_id, workspace_id from sandbox_accounts
      where account_id = any(${sendings.map((one) => one.accountId)}::bigint[])
      order by account_id for key share
    ), post as materialized (
      select * from unnest(${sendings.map(({ post }) => post.text)}::text[],
                           ${sendings.map(({ post, to }) => (to.some((one) => one.mentionAll) ? withMentionAll(post.text) : null))}::text[],
                           ${sendings.map(({ post }) => post.media?.mime ?? null)}::text[],
                           ${sendings.map(({ post }) => post.media?.size ?? null)}::int[],
                           ${hashes.map((hash) => hash?.toString('hex') ?? null)}::text[], ${files}::jsonb[],
                           ${sendings.map(({ post }) => writeCard(cardShownWith(post)))}::jsonb[],
                           ${sendings.map(({ post }) => storeBallot(post))}::jsonb[])
           with ordinality p (text, mentioning_text, mime, size, sha256, files, card, ballot, post)
    ), chat as (
      select d.ordinal, d.account_id, d.post, d.chat_id, d.message_id, d.mentions_all, d.quoted_message_id,
             case when d.account_id <> all (c.demoted_accounts) then c.recipients end as recipients,
             coalesce(d.account_id = any (c.demoted_accounts), false) as is_demoted
      from unnest(${all.map((one) => one.accountId)}::bigint[], ${all.map((one) => one.post)}::int[],
                  ${all.map((one) => one.chatId)}::text[], ${all.map((one) => one.messageId)}::text[],
                  ${all.map((one) => one.mentionAll ?? false)}::boolean[], ${all.map((one) => one.quote?.messageId ?? null)}::text[])
           with ordinality d (account_id, post, chat_id, message_id, mentions_all, quoted_message_id, ordinal)
      left join account a on a.account_id = d.account_id
      -- A lookup for each, whatever the planner believes of how many chats the account has.
      left join lateral (
        select cardinality(participants) as recipients, demoted_accounts from sandbox_chats
        where chat_id = d.chat_id and workspace_id = a.workspace_id and d.account_id <> all (removed_accounts) limit 1) c on true
    ), written as (
      insert into sandbox_messages (chat_id, account_id, message_id, text, media_mime, media_size, media_sha256, files, link_preview, ballot,
                                    mentions_all, quoted_message_id, next_activity_at)
      select c.chat_id, c.account_id, c.message_id, case when c.mentions_all then p.mentioning_text else p.text end, p.mime, p.size,
             decode(p.sha256, 'hex'), p.files, p.card, p.ballot, c.mentions_all, c.quoted_message_id,
             case when ${speed}::float8 > 0
                  then campanile_now() + least(${FIRST_ACTIVITY_MS} / nullif(${speed}::float8, 0), 60000) * interval '1 millisecond' end
      from chat c join post p on p.post = c.post where c.recipients is not null order by c.ordinal
      ${whatOfRepeats}
    )
    select array_agg(recipients order by ordinal) as recipients, array_agg(is_demoted order by ordinal) as demoted from chat`;
  const written = await write(sql``).catch((error: unknown) => {
    // Repeats are rare, and ON CONFLICT costs as much for each row as an index.
    if (!isRepeat(error)) throw error;
    return write(sql`on conflict (chat_id, message_id) do nothing`);
  });
  const { recipients, demoted } = written ?? { recipients: [], demoted: [] };
  const results = recipients.map((count, index) => toResult(count, demoted[index] === true));
  let from = 0;
  return sendings.map(({ to }) => results.slice(from, (from += to.length)));
}

function storeBallot({ extras }: Post): string | null {
  const { poll, event } = extras ?? {};
  if (poll) return JSON.stringify({ poll });
  return event ? JSON.stringify({ event }) : null;
}

export const writeCard = (card: ArrivedCard | null) => card && JSON.stringify(card);

function toResult(recipients: number | null, isDemoted: boolean): SendResult {
  if (recipients !== null) return { kind: 'sent', recipients };
  const failure = describeFailure(isDemoted ? 'admins_only' : 'group_gone');
  return { kind: 'refused', ...failure, final: true, isAccessDenied: true };
}

function isRepeat(error: unknown): boolean {
  return errorCodeOf(error) === '23505';
}

/** By the function that reads the bytes: the same file may have several names. */
const hashes = new WeakMap<PostMedia['pieces'], Promise<Buffer>>();

/** The hash of the bytes that arrive, computed once for each file and not for each turn. */
function hashOf({ pieces }: PostMedia): Promise<Buffer> {
  const known = hashes.get(pieces);
  if (known) return known;
  const hash = hashPieces(pieces());
  hashes.set(pieces, hash);
  hash.catch(() => hashes.delete(pieces));
  return hash;
}

async function hashPieces(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** The files of a post as JSON; null where the columns of one file say everything. */
async function listArrived(post: Post): Promise<string | null> {
  const all = filesOf(post);
  const isDescribed = post.media && (kindOf(post.media.mime) === 'document' || post.media.caption !== undefined);
  if (all.length < 2 && !isDescribed) return null;
  const arrived = all.map(async (file): Promise<ArrivedFile> => ({
    mime: file.mime,
    size: file.size,
    sha256: (await hashOf(file)).toString('hex'),
    fileName: file.fileName,
    caption: file.caption,
  }));
  return JSON.stringify(await Promise.all(arrived));
}

/** The posts in a chat of a workspace after the given one, of all accounts, oldest first. Recalled ones only `withRecalled`. */
export function readMessages(
  db: Connection,
  workspaceId: WorkspaceId,
  chatId: string,
  { after, limit, withRecalled = false }: { after: number; limit: number; withRecalled?: boolean },
): Promise<ArrivedMessage[]> {
  return readRows<ArrivedMessage>(db)`
    select m.seq, m.message_id as "messageId", coalesce(s.text, '') as text,
           case when s.media_mime is not null then jsonb_build_object(
             'mime', s.media_mime, 'size', s.media_size, 'sha256', encode(s.media_sha256, 'hex')) end as media,
           s.files, s.ballot, s.link_preview as card, m.sent_at as "sentAt", m.recalled_at as "recalledAt", m.corrected_at as "correctedAt",
           coalesce(s.mentions_all, false) as "mentionsAll", s.quoted_message_id as "quotedMessageId",
           case when s.pinned_until > campanile_now() then s.pinned_until end as "pinnedUntil"
    from sandbox_messages m
    -- What is seen: nothing of a recalled post.
    left join lateral (select m.* where m.recalled_at is null) s on true
    where m.chat_id = ${chatId} and m.seq > ${after} and (${withRecalled} or m.recalled_at is null)
      and exists (select from sandbox_chats c where c.chat_id = ${chatId} and c.workspace_id = ${workspaceId})
    order by m.seq limit ${limit}`;
}

const LETTER = /[^\P{L}\u115f\u1160\u3164\uffa0]/u;

/** Why WhatsApp would reject a post to any group: its text is too long, or invisible. Undefined if it would accept the post. */
function findPostRejection({ text, media, extras }: Post): Failure | undefined {
  if (extras?.poll ?? extras?.event) return undefined;
  if (text.length > TEXT_LIMIT) return describeFailure('text_too_long', { limit: TEXT_LIMIT });
  // Letters are never a part of the markup, and most texts begin with one.
  if (media !== null || LETTER.test(text)) return undefined;
  const isSeen = parseWhatsApp(text).some(({ runs }) => runs.some((run) => hasVisible(run.text)));
  return isSeen ? undefined : describeFailure('nothing_visible');
}
