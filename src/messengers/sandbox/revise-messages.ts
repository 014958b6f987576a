import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { PostChange, RevisionResult, SentPost } from '../messenger.ts';
import { cardShownWith, NO_LEASE, writeCard } from './messages.ts';

interface Revising {
  change: PostChange;
  posts: readonly SentPost[];
  mayGoOn: () => boolean;
}

/** Deletes posts for everyone, or replaces their text, in one statement. Idempotent. */
export function reviseMessages(db: Database, accountId: number, revising: Revising): Promise<RevisionResult[]> {
  return db
    .connection()
    .execute((connection) =>
      revising.mayGoOn()
        ? rewrite(connection, accountId, revising)
        : Promise.resolve(revising.posts.map(() => NO_LEASE)),
    );
}

async function rewrite(db: Connection, accountId: number, { change, posts }: Revising): Promise<RevisionResult[]> {
  const { kind } = change;
  const text = change.kind === 'correct' ? change.post.text : '';
  const card = change.kind === 'correct' ? writeCard(cardShownWith(change.post)) : null;
  const { rows } = await sql<{ found: Array<'done' | 'absent'> }>`
    with message as materialized (
      select p.ordinal, p.chat_id, p.message_id,
             case when m.message_id is null or ${kind} = 'correct' and m.recalled_at is not null then 'absent'
                  else 'done' end as found
      from unnest(${posts.map((post) => post.chatId)}::text[], ${posts.map((post) => post.messageId)}::text[])
           with ordinality p (chat_id, message_id, ordinal)
      left join sandbox_messages m on m.chat_id = p.chat_id and m.message_id = p.message_id and m.account_id = ${accountId}
    ), changed as (
      update sandbox_messages m
      set text = case ${kind} when 'correct' then ${text}::text else m.text end,
          link_preview = case ${kind} when 'correct' then ${card}::jsonb else m.link_preview end,
          corrected_at = case when ${kind} = 'correct' and (m.text, m.link_preview) is distinct from (${text}::text, ${card}::jsonb)
                              then campanile_now() else m.corrected_at end,
          recalled_at = case ${kind} when 'recall' then coalesce(m.recalled_at, campanile_now()) else m.recalled_at end,
          next_activity_at = case ${kind} when 'recall' then null else m.next_activity_at end
      from message p where p.found = 'done' and m.chat_id = p.chat_id and m.message_id = p.message_id
    )
    select array_agg(found order by ordinal) as found from message`.execute(db);
  return posts.map((_, index) =>
    rows[0]?.found[index] === 'done' ? { kind: 'done' } : { kind: 'absent', reason: 'The post is not there any more' },
  );
}
