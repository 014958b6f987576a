/** What the deliveries of a campaign come to for each group: the figures of the analytics and of follow-ups. */
import { sql, type RawBuilder } from 'kysely';
import { deliveryCounts } from './roll-up-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** `written`: the outcomes of the campaign's deliveries, by group. */
export const written = (campaignId: number) => sql`
    unsummed as materialized (
      select workspace_id, run_id, summed from runs where campaign_id = ${campaignId} and summed < expanded
    ), part as (
      select s.group_id, s.first_sent_at, s.last_sent_at, s.queued, s.sent, s.failed, s.cancelled, s.recipients::float8, s.delivered::float8,
             s.read::float8, s.reactions::float8, s.replies::float8, s.views::float8,
             s.views_seen or s.views > 0 as views_seen, s.error, s.error_run_id, s.error_waits
      from campaigns c join group_sums s on s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id
      where c.campaign_id = ${campaignId}
      union all
      select d.group_id, d.sent_at, d.sent_at, d.queued, d.sent, d.failed, d.cancelled, d.recipients, d.delivered,
             d.read, d.reactions, d.replies, d.views, d.views_seen, d.error, d.error_run_id, d.error_waits
      from unsummed u
      cross join lateral (
        select d.group_id, ${deliveryCounts} from deliveries d
        where d.workspace_id = u.workspace_id and d.run_id = u.run_id and d.position > u.summed
        order by d.position) d
    ), written as materialized (
      select group_id, sum(queued)::int as queued, sum(sent)::int as sent, sum(failed)::int as failed, sum(cancelled)::int as cancelled,
             sum(recipients) as recipients, sum(delivered) as delivered, sum(read) as read, sum(reactions) as reactions,
             sum(replies) as replies, sum(views) as views, bool_or(views_seen) as views_seen, min(first_sent_at) as first_sent_at, max(last_sent_at) as last_sent_at,
             (array_agg(error order by error_run_id desc) filter (where error is not null))[1] as last_error,
             (array_agg(error_waits order by error_run_id desc) filter (where error is not null))[1] as is_waiting
      from part group by group_id
    )`;

/** A campaign, or one of its runs. */
export interface ReadPosts {
  workspaceId: WorkspaceId;
  campaignId: number;
  runId: number | undefined;
}

/**
 * `reads`: one row, whose `percent` has the percentage of members of each group who have read, of those who could have told (contract §3),
 * as JSON by the group's id. Channels and groups that got nothing are missing. JSON and not rows: nothing is known of the size of what was
 * just written, so the planner would join it row by row, for minutes.
 */
export const reads = ({ workspaceId, campaignId, runId }: ReadPosts): RawBuilder<unknown> => sql`
    ${runId === undefined ? written(campaignId) : writtenOfRun(workspaceId, runId)},
    reads as materialized (
      select coalesce(jsonb_object_agg(w.group_id, 100 * w.read / w.recipients), '{}') as percent
      from written w join groups g on g.group_id = w.group_id
      where g.kind <> 'channel' and w.recipients > 0
    )`;

const writtenOfRun = (workspaceId: WorkspaceId, runId: number) => sql`
    written as materialized (
      select group_id, sum(recipients)::float8 as recipients, sum(read)::float8 as read
      from (
        select d.group_id, ${deliveryCounts} from deliveries d where d.workspace_id = ${workspaceId} and d.run_id = ${runId} order by d.position) d
      group by group_id
    )`;

/** The percentage of a group in `reads r`; null: it is unknown. */
export const percentOf = (groupId: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql`(r.percent ->> ${groupId}::text)::float8`;
