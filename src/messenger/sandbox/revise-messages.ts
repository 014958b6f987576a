import { sql } from 'kysely';
import type { Connection } from '../../database/connect.ts';
import type { PostChange, RevisionResult, SentPost } from '../messenger.ts';

/** As WhatsApp has it: for how long after it was sent a post can be deleted for everyone, or edited. */
const WINDOWS = {
  recall: { group: '60 hours', channel: '30 days' },
  correct: { group: '15 minutes', channel: '30 days' },
} as const;

/** Deletes posts for everyone, or gives them another text, all in one statement. A repeat changes nothing and is `done` again. */
export async function reviseMessages(
  db: Connection,
  accountId: number,
  change: PostChange,
  posts: readonly SentPost[],
): Promise<RevisionResult[]> {
  const { kind } = change;
  const text = change.kind === 'correct' ? change.post.text : '';
  const windows = WINDOWS[kind];
  const { rows } = await sql<{ found: Array<'done' | 'absent' | 'late'> }>`
    with message as materialized (
      select p.ordinal, p.chat_id, p.message_id,
             case when m.message_id is null or ${kind} = 'correct' and m.recalled_at is not null then 'absent'
                  when m.recalled_at is null and m.sent_at < campanile_now() - case c.kind when 'channel' then ${windows.channel}::interval
                                                                                          else ${windows.group}::interval end then 'late'
                  else 'done' end as found
      from unnest(${posts.map((post) => post.chatId)}::text[], ${posts.map((post) => post.messageId)}::text[])
           with ordinality p (chat_id, message_id, ordinal)
      left join sandbox_messages m on m.chat_id = p.chat_id and m.message_id = p.message_id and m.account_id = ${accountId}
      left join sandbox_chats c on c.chat_id = m.chat_id
    ), changed as (
      update sandbox_messages m
      set text = case ${kind} when 'correct' then ${text}::text else m.text end,
          corrected_at = case when ${kind} = 'correct' and m.text is distinct from ${text}::text then campanile_now() else m.corrected_at end,
          recalled_at = case ${kind} when 'recall' then coalesce(m.recalled_at, campanile_now()) else m.recalled_at end,
          next_doing_at = case ${kind} when 'recall' then null else m.next_doing_at end
      from message p where p.found = 'done' and m.chat_id = p.chat_id and m.message_id = p.message_id
    )
    select array_agg(found order by ordinal) as found from message`.execute(db);
  return posts.map((_, index) => toResult(rows[0]?.found[index] ?? 'absent', kind));
}

function toResult(found: 'done' | 'absent' | 'late', kind: PostChange['kind']): RevisionResult {
  switch (found) {
    case 'done':
      return { kind: 'done' };
    case 'absent':
      return { kind: 'absent', reason: 'The post is not there any more' };
    case 'late': {
      const { group, channel } = WINDOWS[kind];
      const what = kind === 'recall' ? 'be deleted for everyone' : 'be changed';
      const reason = `Too late: a post can ${what} for ${group}, in a channel for ${channel}. Send another post that puts it right`;
      return { kind: 'refused', reason, final: true };
    }
    default:
      return found satisfies never;
  }
}
