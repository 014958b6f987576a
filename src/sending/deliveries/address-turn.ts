/** The destinations of a turn: what differs from group to group in the same post. */
import { sql } from 'kysely';
import { fileNameOf } from '../../content/media/file-name.ts';
import { extensionOf } from '../../content/media/sniff.ts';
import { STORED_EXTRAS } from '../../content/post/stored-extras.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { Destination, Post, QuotedPost } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';
import { decideMentions } from './decide-mentions.ts';

export interface Addressing {
  db: Database;
  /** IANA, the installation's. */
  timeZone: string;
}

/**
 * Returns the destinations of the turn, in the order of its deliveries. Costs a query only if the post mentions everybody or quotes
 * another. Undefined if the turn was lost.
 */
export async function addressTurn(
  addressing: Addressing,
  turn: Turn,
  { extras }: Post,
): Promise<readonly Destination[] | undefined> {
  if (!extras?.mentionAll && !extras?.replyTo) return turn.deliveries;
  const mentioning = extras.mentionAll ? await decideMentions(addressing, turn) : new Set<number>();
  if (!mentioning) return undefined;
  const quotes = extras.replyTo ? await findQuotes(addressing.db, turn) : new Map<number, QuotedPost>();
  return turn.deliveries.map((delivery) => {
    const quote = quotes.get(delivery.position);
    return { ...delivery, ...(mentioning.has(delivery.position) && { mentionAll: true }), ...(quote && { quote }) };
  });
}

/**
 * The posts that the run of the turn quotes, by position: those that were sent to the same groups before the run began, and not deleted
 * for everyone by then. So each attempt quotes the same.
 */
async function findQuotes(db: Connection, turn: Turn): Promise<Map<number, QuotedPost>> {
  const { rows } = await sql<QuotedPost & { position: number }>`
    select d.position, q.message_id as "messageId", m.mime,
           coalesce(t.extras -> 'poll' ->> 'question', t.extras -> 'event' ->> 'name', t.text) as text, coalesce((${STORED_EXTRAS}) ->> 'fileName', '') as "fileName"
    from runs r
    join runs o on o.workspace_id = r.workspace_id and o.run_id = r.reply_run_id
    join contents t on t.content_id = o.content_id
    left join media m on m.media_id = t.media_id
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      and d.position = any(${turn.deliveries.map(({ position }) => position)}::int[])
    cross join lateral (
      select * from deliveries e
      where e.workspace_id = o.workspace_id and e.run_id = o.run_id and e.position = array_position(t.group_ids, d.group_id)
      limit 1) q
    where r.workspace_id = ${turn.workspaceId} and r.run_id = ${turn.runId} and q.status = 'sent' and q.sent_at < r.started_at
      -- Of a post of another account it is not known under which id this one knows its sender.
      and q.account_id = d.account_id
      and not exists (
        select from revisions v
        where v.workspace_id = q.workspace_id and v.run_id = q.run_id and v.position = q.position and v.recalled_at < r.started_at)`.execute(
    db,
  );
  const named = (quote: QuotedPost) =>
    quote.mime === null ? quote : { ...quote, fileName: fileNameOf(quote.fileName, extensionOf(quote.mime)) };
  return new Map(rows.map(({ position, ...quote }) => [position, named(quote)]));
}
