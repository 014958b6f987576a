import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { GroupKind } from '../../../platform/database/schema.ts';
import { SKIPPED } from '../../campaigns/begin/skip-readers.ts';
import { deliveryCounts } from '../../campaigns/roll-up/roll-up-runs.ts';
import type { Span } from './report-span.ts';
import { begunRuns, chosenTargets, wholeCampaigns, type Scope } from './select-runs.ts';

/** What the posts of the span came to in one group. */
export interface ReportGroup {
  groupId: number;
  name: string;
  kind: GroupKind;
  participants: number;
  sent: number;
  failed: number;
  /** Members or followers other than the sender, once for each post. */
  recipients: number;
  delivered: number;
  read: number;
  reactions: number;
  replies: number;
  /** Of a channel. null: the messaging application has told no count. */
  views: number | null;
  firstSentAt: Date | null;
  lastSentAt: Date | null;
  /** Of the latest run with an error. */
  error: string | null;
  isWaiting: boolean;
}

/**
 * Returns a row for each group that something was sent to in the span, or failed. A campaign with all of its runs in the span is read off
 * its sums. Others are read post by post, and left out if they are folded (`countUnknownRuns`).
 */
export async function selectGroups(trx: Connection, scope: Scope, span: Span): Promise<ReportGroup[]> {
  const { accountId, groupIds } = scope;
  const { rows } = await sql<ReportGroup>`
    with ${begunRuns(scope, span)}, ${wholeCampaigns(span)}, source as materialized (
      select r.run_id, r.content_id, case when w.is_whole then r.summed else 0 end as after
      from run r join whole w on w.campaign_id = r.campaign_id
      where not r.is_folded and (not w.is_whole or r.summed < r.expanded)
    ), ${groupIds ? postsToChosen(accountId, groupIds) : allPosts(accountId)}, part as (
      select s.group_id, s.first_sent_at, s.last_sent_at, s.sent, s.failed, s.recipients, s.delivered, s.read, s.reactions, s.replies,
             s.views, s.views_seen or s.views > 0 as views_seen, s.error, s.error_run_id, s.error_waits
      from whole w join group_sums s on s.account_id = ${accountId} and s.campaign_id = w.campaign_id
      where w.is_whole and (${groupIds ?? null}::bigint[] is null
        or s.group_id = any(${groupIds ?? null}::bigint[]) and not exists (select from run r where r.campaign_id = w.campaign_id and r.is_folded))
      union all
      select p.group_id, p.sent_at, p.sent_at, p.sent, p.failed, p.recipients, p.delivered, p.read, p.reactions, p.replies,
             p.views, p.views_seen, p.error, p.error_run_id, p.error_waits
      from post p
    ), summed as (
      select group_id, sum(sent)::float8 as sent, sum(failed)::float8 as failed, sum(recipients)::float8 as recipients,
             sum(delivered)::float8 as delivered, sum(read)::float8 as read, sum(reactions)::float8 as reactions,
             sum(replies)::float8 as replies, sum(views)::float8 as views, bool_or(views_seen) as views_seen,
             min(first_sent_at) as first_sent_at, max(last_sent_at) as last_sent_at,
             -- Not why a follow-up left the group out.
             (array_agg(error order by error_run_id desc) filter (where not starts_with(error, ${SKIPPED})))[1] as error,
             (array_agg(error_waits order by error_run_id desc) filter (where not starts_with(error, ${SKIPPED})))[1] as is_waiting
      from part group by group_id having sum(sent) + sum(failed) > 0
    )
    select s.group_id as "groupId", g.name, g.kind, g.participants, s.sent, s.failed, s.recipients, s.delivered, s.read, s.reactions, s.replies,
           case when g.kind = 'channel' and s.views_seen then s.views end as views, s.first_sent_at as "firstSentAt", s.last_sent_at as "lastSentAt",
           s.error, coalesce(s.is_waiting, false) as "isWaiting"
    from summed s join groups g on g.group_id = s.group_id`.execute(trx);
  return rows;
}

const allPosts = (accountId: number): RawBuilder<unknown> => sql`
  post as (
    select p.* from source s cross join lateral (
      select d.group_id, ${deliveryCounts} from deliveries d
      where d.account_id = ${accountId} and d.run_id = s.run_id and d.position > s.after
      -- In the order of the key, so that no other index is read (docs/explanation/decisions/0008).
      order by d.position) p
  )`;

const postsToChosen = (accountId: number, groupIds: readonly number[]): RawBuilder<unknown> => sql`
  ${chosenTargets(groupIds)}, post as (
    select p.* from source s join target t on t.content_id = s.content_id and t.position > s.after
    cross join lateral (
      select d.group_id, ${deliveryCounts} from deliveries d
      where d.account_id = ${accountId} and d.run_id = s.run_id and d.position = t.position limit 1) p
  )`;

/** Returns how many runs of folded campaigns the groups of a report lack. */
export async function countUnknownRuns(trx: Connection, scope: Scope, span: Span): Promise<number> {
  const { groupIds } = scope;
  const { rows } = await sql<{ runs: number }>`
    with ${begunRuns(scope, span)}, ${wholeCampaigns(span)}
    select count(*)::int as runs
    from run r join whole w on w.campaign_id = r.campaign_id
    where r.is_folded and case when ${groupIds ?? null}::bigint[] is null then not w.is_whole
      else exists (select from contents c where c.content_id = r.content_id and c.group_ids && ${groupIds ?? null}::bigint[]) end`.execute(
    trx,
  );
  return rows[0]?.runs ?? 0;
}
