import {
  readCount,
  readOne,
  readRows,
  sql,
  type Connection,
  type Database,
  type RawBuilder,
} from '../../../platform/database/statements.ts';
import { isTag } from '../../campaigns/tags.ts';
import { sumFields } from '../sum-fields.ts';
import type { Span } from './report-span.ts';
import type { RunSums } from './select-posts.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** The campaigns and groups that a report is about. */
export interface Scope {
  workspaceId: WorkspaceId;
  /** null: all campaigns. */
  campaignId: number | null;
  /** null: all groups. */
  groupIds: readonly number[] | null;
  /** Only campaigns that carry it; null: all. */
  tag: string | null;
}

/** A campaign with runs that began in the span. Tests and deleted campaigns are none. */
export interface BegunCampaign {
  campaignId: number;
  /** No single posts are known, so that it has no place in a report about some groups. */
  isFolded: boolean;
  /** All of its begun runs are in the span. Then its sums are those of the span. */
  isWhole: boolean;
  runs: number;
  /** Of its largest run. */
  groups: number;
  /** Posts of its runs: all, those in its sums, and of each run as many as there are chosen groups. */
  posts: number;
  summed: number;
  chosen: number;
}

/** `acknowledging` is of the first `summed` posts. */
export interface BegunRun extends RunSums {
  campaignId: number;
  contentId: number;
  startedAt: Date;
  summed: number;
  expanded: number;
}

/** Does a part of the reading in its turn. */
export type Step = <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;

/** Runs of a statement. Each campaign of theirs has 366 at most. */
const PAGE = 2_000;

/** Returns the campaigns of the span. Reads a page of runs at a time, each in a `step`. */
export async function selectCampaigns(step: Step, scope: Scope, span: Span): Promise<BegunCampaign[]> {
  const campaigns = new Map<number, BegunCampaign>();
  let after: Position | null = { startedAt: '-infinity', runId: 0 };
  while (after) {
    const from: Position = after;
    const page = await step((db) => selectPage(db, scope, span, from));
    for (const one of page.campaigns) {
      const other = campaigns.get(one.campaignId) ?? { runs: 0, posts: 0, summed: 0, chosen: 0, groups: 0 };
      const sums = sumFields([one, other], ['runs', 'posts', 'summed', 'chosen']);
      campaigns.set(one.campaignId, { ...one, ...sums, groups: Math.max(one.groups, other.groups) });
    }
    after = page.last;
  }
  return [...campaigns.values()];
}

/** Returns how many runs that were due in the span could not begin in time. Of tests and deleted campaigns they do not count. */
export function countMissed(
  db: Connection,
  { workspaceId, campaignId, groupIds, tag }: Scope,
  { beginsAt, endsAt }: Pick<Span, 'beginsAt' | 'endsAt'>,
): Promise<number> {
  return readCount(db)`
    select count(*) from runs r
    join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null and not c.is_test
    where r.workspace_id = ${workspaceId} and r.status = 'missed' and r.due_at >= ${beginsAt} and r.due_at < ${endsAt}
      and (${campaignId}::bigint is null or r.campaign_id = ${campaignId}::bigint) and ${isTagged(workspaceId, tag, sql`r.campaign_id`)}
      and (${groupIds}::bigint[] is null or exists (
        select from contents t where t.content_id = c.content_id and t.group_ids && ${groupIds}::bigint[]))`;
}

const isTagged = (workspaceId: WorkspaceId, tag: string | null, campaignId: RawBuilder<unknown>) =>
  tag === null
    ? sql`true`
    : sql`${campaignId} in (select t.campaign_id from campaign_tags t where ${isTag(workspaceId, tag)})`;

/** As text: a Date has no microseconds. */
interface Position {
  startedAt: string;
  runId: number;
}

async function selectPage(
  db: Connection,
  { workspaceId, campaignId, groupIds, tag }: Scope,
  { beginsAt, endsAt }: Span,
  { startedAt, runId }: Position,
) {
  return readOne<{ campaigns: BegunCampaign[]; last: Position | null }>(db)`
    with page as materialized (
      select run_id, campaign_id, started_at, targets, expanded, summed from runs
      where workspace_id = ${workspaceId} and started_at >= ${beginsAt} and started_at < ${endsAt}
        and (${campaignId}::bigint is null or campaign_id = ${campaignId}::bigint) and ${isTagged(workspaceId, tag, sql`campaign_id`)}
        and (started_at, run_id) > (${startedAt}::timestamptz, ${runId}::bigint)
      order by started_at, run_id limit ${PAGE}
    ), campaign as materialized (
      select campaign_id, count(*) as runs, max(targets) as groups, sum(expanded) as posts, sum(summed) as summed,
             sum(least(expanded, ${groupIds?.length ?? 0}::int)) as chosen
      from page group by campaign_id
    )
    select (
      select coalesce(jsonb_agg(jsonb_build_object(
        'campaignId', p.campaign_id, 'isFolded', c.folded_at is not null, 'isWhole', not o.is_outside, 'runs', p.runs, 'groups', p.groups,
        'posts', p.posts, 'summed', p.summed, 'chosen', p.chosen)), '[]')
      from campaign p
      -- Lookups by the key, whatever is known of the table (docs/explanation/decisions/0022).
      cross join lateral (select * from campaigns where campaign_id = p.campaign_id limit 1) c
      cross join lateral (
        select exists (
          select from runs o where o.campaign_id = p.campaign_id and (o.started_at < ${beginsAt} or o.started_at >= ${endsAt})) as is_outside) o
      where c.deleted_at is null and not c.is_test) as campaigns, (
      select jsonb_build_object('startedAt', started_at::text, 'runId', run_id) from page
      where (select count(*) from page) = ${PAGE} order by started_at desc, run_id desc limit 1) as last`;
}

/** Returns whether each of these campaigns is folded; those that were deleted are missing. */
export async function readFolded(db: Connection, campaigns: readonly BegunCampaign[]) {
  const rows = await readRows<{ campaignId: number; isFolded: boolean }>(db)`
    select campaign_id as "campaignId", folded_at is not null as "isFolded" from campaigns
    where campaign_id = any(${campaigns.map(({ campaignId }) => campaignId)}::bigint[]) and deleted_at is null`;
  return new Map(rows.map(({ campaignId, isFolded }) => [campaignId, isFolded]));
}

/** Returns the runs of some campaigns that began in the span. */
export async function selectRuns(db: Connection, { beginsAt, endsAt }: Span, campaigns: readonly BegunCampaign[]) {
  return readRows<BegunRun>(db)`
    select r.run_id as "runId", r.campaign_id as "campaignId", r.content_id as "contentId", r.started_at as "startedAt", r.sent, r.failed,
           r.delivered, r.read, r.acknowledging, r.summed, r.expanded
    from unnest(${campaigns.map(({ campaignId }) => campaignId)}::bigint[]) c (campaign_id)
    cross join lateral (
      select * from runs r where r.campaign_id = c.campaign_id and r.started_at >= ${beginsAt} and r.started_at < ${endsAt}
      order by r.due_at) r`;
}

/** Returns the places of the chosen groups, from 1 and in order, in each content that has one of them. */
export async function selectChosenPositions(
  db: Connection,
  groupIds: readonly number[],
  contentIds: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await readRows<{ contentId: number; positions: number[] }>(db)`
    select c.content_id as "contentId", array_agg(t.position::int order by t.position) as positions
    from unnest(${[...contentIds]}::bigint[]) i (content_id)
    cross join lateral (select content_id, group_ids from contents where content_id = i.content_id limit 1) c
    cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
    where t.group_id = any(${[...groupIds]}::bigint[]) group by c.content_id`;
  return new Map(rows.map(({ contentId, positions }) => [contentId, positions]));
}
