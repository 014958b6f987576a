/** Answers to review posts wait here for the decision (docs/explanation/decisions/0108-approve-in-a-review-group.md). */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { MemberEvent } from '../../messengers/messenger.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

export type AnswerEvent = Extract<MemberEvent, { kind: 'answered' }>;

/**
 * Records answers to review posts, in any order and with repeats (transactional inbox). Answers to any other post, and to one of an
 * earlier version or a request that was decided on, are dropped with their text.
 */
export async function recordAnswers(
  trx: Connection,
  workspaceId: WorkspaceId,
  events: readonly AnswerEvent[],
): Promise<void> {
  const told = events.flatMap(({ messageIds, participant, number, remark, at }) =>
    messageIds.map((messageId) => ({ message_id: messageId, participant, number: number ?? null, remark, at })),
  );
  await sql`
    with shown as materialized (
      -- The few posts that wait, in place of each message that somebody answers.
      select v.campaign_id, d.message_id
      from approval_reviews v
      join approvals p on p.workspace_id = v.workspace_id and p.approval_id = v.approval_id
        and p.version = v.version and p.asked_at <= v.created_at and p.state = 'waiting'
      join runs r on r.workspace_id = v.workspace_id and r.campaign_id = v.campaign_id
      join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where v.workspace_id = ${workspaceId}
    )
    insert into review_answers (campaign_id, workspace_id, participant, number, remark, at)
    select s.campaign_id, ${workspaceId}::bigint, e.participant, e.number, e.remark, e.at
    from shown s
    join jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
      e (message_id text, participant text, number text, remark text, at timestamptz) using (message_id)
    order by e.at
    on conflict do nothing`.execute(trx);
}

/** A person's number becomes known: an answer of theirs that has waited for it can be decided on. */
export async function nameAnswers(
  trx: Connection,
  workspaceId: WorkspaceId,
  pairs: ReadonlyArray<{ participant: string; alias: string }>,
): Promise<void> {
  await sql`
    update review_answers a set number = substring(p.alias from '^[0-9]+')
    from unnest(${pairs.map((pair) => pair.participant)}::text[], ${pairs.map((pair) => pair.alias)}::text[]) p (participant, alias)
    where a.workspace_id = ${workspaceId} and a.number is null and a.participant = p.participant`.execute(trx);
}
