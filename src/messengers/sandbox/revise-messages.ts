import { readValue, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import { withMentionAll } from '../../content/text/mention-all.ts';
import type { PostChange, RevisionResult, SentPost } from '../messenger.ts';
import { describeFailure } from '../../platform/errors/failures.ts';
import { cardShownWith, NO_LEASE, writeCard } from './messages.ts';
import type { AccountId } from '../../platform/database/schema.ts';

interface Revising {
  change: PostChange;
  posts: readonly SentPost[];
  mayGoOn: () => boolean;
}

/**
 * Deletes posts for everyone, replaces their text, pins or unpins them, in one statement. Idempotent. Posts in channels cannot be pinned.
 * Only admins delete the posts of others, and nobody corrects them.
 */
export function reviseMessages(db: Database, accountId: AccountId, revising: Revising): Promise<RevisionResult[]> {
  return db
    .connection()
    .execute((connection) =>
      revising.mayGoOn()
        ? rewrite(connection, accountId, revising)
        : Promise.resolve(revising.posts.map(() => NO_LEASE)),
    );
}

async function rewrite(db: Connection, accountId: AccountId, { change, posts }: Revising): Promise<RevisionResult[]> {
  const { kind } = change;
  const text = change.kind === 'correct' ? change.post.text : '';
  const corrected = sql`case when m.mentions_all then ${withMentionAll(text)}::text else ${text}::text end`;
  const card = change.kind === 'correct' ? writeCard(cardShownWith(change.post)) : null;
  const seconds = change.kind === 'pin' ? change.seconds : 0;
  const found = await readValue<Found[]>(db)`
    with message as materialized (
      select p.ordinal, p.chat_id, p.message_id,
             case when ${accountId} = any (c.removed_accounts) then 'outside'
                  when ${kind} in ('pin', 'unpin') and ${accountId} = any (c.demoted_accounts) then 'demoted'
                  when ${kind} = 'recall' and p.sent_by <> ${accountId} and ${accountId} = any (c.demoted_accounts) then 'notOwn'
                  when ${kind} in ('pin', 'unpin') and p.chat_id like '%@newsletter' then 'unpinnable'
                  when m.message_id is null or ${kind} <> 'recall' and m.recalled_at is not null then 'absent'
                  else 'done' end as found
      from unnest(${posts.map((post) => post.chatId)}::text[], ${posts.map((post) => post.messageId)}::text[],
                  ${posts.map(({ sentBy }) => (kind === 'correct' ? accountId : (sentBy ?? accountId)))}::bigint[])
           with ordinality p (chat_id, message_id, sent_by, ordinal)
      left join sandbox_messages m on m.chat_id = p.chat_id and m.message_id = p.message_id and m.account_id = p.sent_by
      left join sandbox_chats c on c.chat_id = p.chat_id
    ), changed as (
      update sandbox_messages m
      set text = case ${kind} when 'correct' then ${corrected} else m.text end,
          link_preview = case ${kind} when 'correct' then ${card}::jsonb else m.link_preview end,
          corrected_at = case when ${kind} = 'correct' and (m.text, m.link_preview) is distinct from (${corrected}, ${card}::jsonb)
                              then campanile_now() else m.corrected_at end,
          pinned_until = case ${kind} when 'pin' then campanile_now() + ${seconds} * interval '1 second' when 'unpin' then null
                                      else m.pinned_until end,
          recalled_at = case ${kind} when 'recall' then coalesce(m.recalled_at, campanile_now()) else m.recalled_at end,
          next_activity_at = case ${kind} when 'recall' then null else m.next_activity_at end
      from message p where p.found = 'done' and m.chat_id = p.chat_id and m.message_id = p.message_id
    )
    select array_agg(found order by ordinal) as found from message`;
  return posts.map((_, index) => toResult(found?.[index]));
}

const REFUSALS = {
  outside: describeFailure('group_gone'),
  notOwn: describeFailure('recall_by_admins'),
  demoted: describeFailure('pin_by_admins'),
  unpinnable: describeFailure('pin_in_channel'),
} as const;

type Found = 'done' | 'absent' | keyof typeof REFUSALS;

function toResult(found: Found | undefined): RevisionResult {
  if (found === 'done') return { kind: 'done' };
  if (found !== undefined && found !== 'absent')
    return { kind: 'refused', ...REFUSALS[found], final: true, isAccessDenied: found !== 'unpinnable' };
  return { kind: 'absent', ...describeFailure('post_gone') };
}
