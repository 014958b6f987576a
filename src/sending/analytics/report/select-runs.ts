import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import { acknowledging } from '../../campaigns/roll-up/roll-up-runs.ts';
import type { OverviewSums } from '../read-overview.ts';
import type { RateSums } from './best-times.ts';
import type { Span } from './report-span.ts';

/** The campaigns and groups that a report is about. */
export interface Scope {
  accountId: number;
  /** null: all campaigns. */
  campaignId: number | null;
  /** null: all groups. */
  groupIds: readonly number[] | null;
}

/** Runs that began in the same quarter of an hour. The offsets of all time zones are whole quarters. */
export interface QuarterHour extends OverviewSums, Omit<RateSums, 'runs'> {
  at: Date;
  /** Runs with members whose reads are reported. */
  ratedRuns: number;
}

/**
 * `run`: the runs that began in the span, without those of tests and of deleted campaigns. Of a campaign that is folded, no single posts
 * are known, so that it has no place in a report about some groups.
 */
export const begunRuns = ({ accountId, campaignId }: Scope, { beginsAt, endsAt }: Span): RawBuilder<unknown> => sql`
  run as materialized (
    select r.*, c.folded_at is not null as is_folded
    from runs r join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null and not c.is_test
    where r.account_id = ${accountId} and r.started_at >= ${beginsAt} and r.started_at < ${endsAt}
      and (${campaignId}::bigint is null or r.campaign_id = ${campaignId}::bigint)
  )`;

/** `target`: the places of the chosen groups in the contents of the runs, once for each content. */
export const chosenTargets = (groupIds: readonly number[]): RawBuilder<unknown> => sql`
  target as materialized (
    select c.content_id, t.group_id, t.position
    from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
    where c.content_id in (select content_id from run where not is_folded) and t.group_id = any(${[...groupIds]}::bigint[])
  )`;

/** Returns what came of the runs of the span, by the quarter of an hour in which they began, oldest first. */
export async function selectQuarterHours(trx: Connection, scope: Scope, span: Span): Promise<QuarterHour[]> {
  const { rows } = await sql<QuarterHour>`
    with ${begunRuns(scope, span)}, ${scope.groupIds ? sumsOfGroups(scope.accountId, scope.groupIds) : SUMS_OF_RUNS}
    select date_bin('15 minutes', started_at, timestamptz '2000-01-01 00:00:00Z') as at, count(*)::int as runs,
           sum(sent)::float8 as sent, sum(failed)::float8 as failed, sum(delivered)::float8 as delivered, sum(read)::float8 as read,
           sum(n)::float8 as acknowledging, count(*) filter (where n > 0)::int as "ratedRuns", sum(n)::float8 as n,
           coalesce(sum(read) filter (where n > 0), 0)::float8 as r, sum(n * n)::float8 as nn, sum(n * read)::float8 as nr,
           coalesce(sum(read::float8 * read) filter (where n > 0), 0)::float8 as rr
    from sums group by 1 order by 1`.execute(trx);
  return rows;
}

/** `sums`: of each run. `n`: members whose reads are reported, once for each post. */
const SUMS_OF_RUNS = sql`
  sums as (
    select r.started_at, r.sent, r.failed, r.delivered, r.read, (${acknowledging})::float8 as n from run r
  )`;

/** The same over the chosen groups, of the runs that posted to one of them. */
const sumsOfGroups = (accountId: number, groupIds: readonly number[]): RawBuilder<unknown> => sql`
  ${chosenTargets(groupIds)}, sums as (
    select r.started_at, d.sent, d.failed, d.delivered, d.read, d.n
    from run r cross join lateral (
      select count(*) as posts, count(*) filter (where q.status = 'sent') as sent, count(*) filter (where q.status = 'failed') as failed,
             coalesce(sum(q.delivered), 0) as delivered, coalesce(sum(q.read), 0) as read,
             coalesce(sum(greatest(q.recipients, q.delivered, q.reactions, q.replies)) filter (where q.status = 'sent' and g.kind <> 'channel'), 0)::float8 as n
      from target t
      -- Lookups by the key, whatever is known of the table (docs/explanation/decisions/0008).
      cross join lateral (
        select * from deliveries where account_id = ${accountId} and run_id = r.run_id and position = t.position limit 1) q
      join groups g on g.group_id = q.group_id
      where t.content_id = r.content_id) d
    where not r.is_folded and d.posts > 0
  )`;

/** Returns how many single posts a report on this span has to read, at most. */
export async function countSinglePosts(trx: Connection, scope: Scope, span: Span): Promise<number> {
  const most = scope.groupIds ? scope.groupIds.length : null;
  const { rows } = await sql<{ posts: number }>`
    with ${begunRuns(scope, span)}, ${wholeCampaigns(span)}
    select coalesce(sum(case when ${most}::int is not null then least(r.expanded, ${most}::int)
                             when w.is_whole then r.expanded - r.summed else r.expanded end), 0)::float8 as posts
    from run r join whole w on w.campaign_id = r.campaign_id where not r.is_folded`.execute(trx);
  return rows[0]?.posts ?? 0;
}

/** `whole`: the campaigns, and whether all of their begun runs are in the span. Then their sums are those of the span. */
export const wholeCampaigns = ({ beginsAt, endsAt }: Span): RawBuilder<unknown> => sql`
  whole as materialized (
    select c.campaign_id, not exists (
      select from runs o where o.campaign_id = c.campaign_id and (o.started_at < ${beginsAt} or o.started_at >= ${endsAt})) as is_whole
    from (select distinct campaign_id from run) c
  )`;
