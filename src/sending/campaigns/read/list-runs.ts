import { readRows, sql, type Database, type Connection } from '../../../platform/database/statements.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { RunStatus } from '../../../platform/database/schema.ts';
import type { CampaignStatus, GroupKind, WorkspaceId } from '../../../platform/database/schema.ts';
import { readGroupList, remakeLists } from '../../groups/group-lists.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { invalid, fieldError } from '../../../platform/errors/errors.ts';
import { readTimeZone } from '../accept/add-scheduled-campaign.ts';
import { describeFrequency, type CheckWarning } from '../accept/warn-of-frequency.ts';
import { spanOf } from '../occurrences.ts';
import { findFrequentPosts } from './find-frequent-posts.ts';

export interface RunFilter {
  /** First and last date, both inclusive, `YYYY-MM-DD` in the user's zone. */
  startDate: string;
  endDate: string;
  limit: number;
  /** Runs after this one; 0: from the first on. */
  after: number;
  /** Only what goes to a group of this kind, of this saved list of the workspace, and of these. */
  kind?: GroupKind | undefined;
  groupListId?: number | undefined;
  groupIds?: readonly number[] | undefined;
  /** Adds warnings to runs that bring groups too many posts. */
  withWarnings?: boolean | undefined;
  /** Adds the saved list that has all groups of a run. */
  withGroupLists?: boolean | undefined;
}

export interface ListedRun {
  runId: number;
  campaignId: string;
  name: string;
  /** Of the campaign: a run of a paused one is still planned. */
  campaignStatus: CampaignStatus;
  dueAt: Date;
  status: RunStatus;
  /** How many groups it goes to, or went to. */
  groupCount: number;
  /** What became of it; queued is 0 until it begins. */
  queued: number;
  sent: number;
  failed: number;
  /** It was missed or ended with failures, and somebody has left it out. */
  leftOut: boolean;
  isFollowUp: boolean;
  /** Absent: none, or not asked for. */
  warnings?: CheckWarning[];
  /** The smallest saved list that has all its groups. Absent: there is none, or not asked for. */
  groupListId?: number;
  post: ListedPost;
}

/** What a run posts, as a calendar shows it. */
export interface ListedPost {
  /** `files`: several. */
  kind: 'text' | 'file' | 'files' | 'poll' | 'event';
  /** When its event begins, ISO 8601 in UTC; null: it is no event. */
  eventStartAt: string | null;
  mentionAll: boolean;
  pinSeconds: number | null;
  isReply: boolean;
}

export interface RunPage {
  runs: ListedRun[];
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

const DAYS_LIMIT = 100;

/** The kind of a post, of the row `t` of `contents`. */
export const kindOfContent = sql`case when t.extras ? 'poll' then 'poll' when t.extras ? 'event' then 'event'
                            when jsonb_array_length(t.extras -> 'files') > 1 then 'files'
                            when t.extras ? 'files' or t.media_id is not null then 'file' else 'text' end`;

/**
 * The runs of all the workspace's campaigns that are due on these dates, in order of acceptance. Throws 400 for dates that make no span
 * of 100 days at most, and 404 for a group list or groups that are not the workspace's.
 */
export async function listRuns(
  deps: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  {
    startDate,
    endDate,
    limit,
    after,
    kind,
    groupListId,
    groupIds,
    withWarnings = false,
    withGroupLists = false,
  }: RunFilter,
): Promise<RunPage> {
  const { days, beginsAt, endsAt } = spanOf(startDate, endDate, await readTimeZone(deps, userId));
  if (days < 1) throw invalid([fieldError('end_date', 'end_before_start')]);
  if (days > DAYS_LIMIT) throw invalid([fieldError('end_date', 'too_many_days', { limit: DAYS_LIMIT })]);
  const { db } = deps;
  const listed = groupListId === undefined ? null : (await readGroupList(db, workspaceId, groupListId)).groupIds;
  if (groupIds) await requireGroups(db, workspaceId, groupIds);
  /** `in` looks each group up, which an overlap of arrays would not. */
  const goesTo = (ids: readonly number[] | null) =>
    ids === null
      ? sql`true`
      : sql`exists (select from unnest(t.group_ids) u (group_id) where u.group_id in (select unnest(${[...ids]}::bigint[])))`;
  const rows = await readRows<ListedRun & { contentId: number }>(db)`
    with run as materialized (
      select r.run_id, c.public_id, c.name, c.status as campaign_status, r.due_at, r.status, r.queued, r.sent, r.failed, r.left_out,
             coalesce(r.content_id, c.content_id) as content_id
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      where r.workspace_id = ${workspaceId} and c.deleted_at is null and not c.is_test
        and r.due_at >= ${beginsAt} and r.due_at < ${endsAt} and r.run_id > ${after}
    ), content as materialized (
      -- Once for each content, however many runs it had.
      select t.content_id, cardinality(t.group_ids) as groups, coalesce(t.extras ? 'followUp', false) as is_follow_up,
             jsonb_build_object(
               'kind', ${kindOfContent},
               'eventStartAt', t.extras -> 'event' -> 'startAt', 'mentionAll', coalesce(t.extras ? 'mentionAll', false),
               'pinSeconds', t.extras -> 'pinSeconds', 'isReply', coalesce(t.extras ? 'replyTo', false)) as post
      from contents t
      where t.content_id in (select content_id from run)
        and (${kind ?? null}::text is null or exists (
               select from unnest(t.group_ids) u (group_id)
               where u.group_id in (select group_id from groups where workspace_id = ${workspaceId} and kind::text = ${kind ?? null})))
        and ${goesTo(listed)} and ${goesTo(groupIds ?? null)}
    )
    select r.run_id as "runId", r.content_id as "contentId", r.public_id as "campaignId", r.name, r.campaign_status as "campaignStatus", r.due_at as "dueAt", r.status,
           content.groups as "groupCount", content.is_follow_up as "isFollowUp", r.queued, r.sent, r.failed, r.left_out as "leftOut", content.post
    from run r join content on content.content_id = r.content_id
    order by r.run_id limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const runIds = page.map(({ runId }) => runId);
  const warnings = withWarnings ? await warnOfRuns(deps, workspaceId, { startDate, endDate, runIds }) : undefined;
  if (withGroupLists) await remakeLists(db, workspaceId);
  const lists = withGroupLists ? await findContainingLists(db, workspaceId, page) : undefined;
  const runs = page.map(({ contentId, ...run }) => {
    const [own, list] = [warnings?.get(run.runId), lists?.get(contentId)];
    return { ...run, ...(own && { warnings: own }), ...(list !== undefined && { groupListId: list }) };
  });
  return { runs, next: rows.length > limit ? (runs.at(-1)?.runId ?? null) : null };
}

/** Returns the warnings of those of the runs that are planned and bring groups too many posts. */
async function warnOfRuns(
  { db, timeZone }: { db: Database; timeZone: string },
  workspaceId: WorkspaceId,
  { startDate, endDate, runIds }: Pick<RunFilter, 'startDate' | 'endDate'> & { runIds: readonly number[] },
): Promise<Map<number, CheckWarning[]>> {
  const rules = await readWorkspaceRules(db, workspaceId, timeZone);
  const warnings = new Map<number, CheckWarning[]>();
  if (!rules) return warnings;
  const { weeklyPosts: weekly, timeZone: zone } = rules;
  const [first, last] = [Temporal.PlainDate.from(startDate), Temporal.PlainDate.from(endDate)];
  const found = await findFrequentPosts(db, workspaceId, { draft: null, runIds, first, last, weekly, timeZone: zone });
  for (const one of found) {
    if (one.runId === null) continue;
    const own = warnings.getOrInsertComputed(one.runId, () => []);
    own.push(describeFrequency(one, { weekly, timeZone: zone }));
  }
  return warnings;
}

/**
 * Returns, by content id, the smallest saved list that has all groups of a content; of several, the oldest. A content with a group outside
 * of every list is left out. Linear in the groups of lists and contents: each group has one bit for each list, smallest list first, and
 * the lists of a content are the bits that all its groups share. 500 is the limit of lists (contract §9).
 */
export async function findContainingLists(
  db: Connection,
  workspaceId: WorkspaceId,
  contents: ReadonlyArray<{ contentId: number }>,
): Promise<Map<number, number>> {
  const ids = [...new Set(contents.map(({ contentId }) => contentId))];
  const rows = await readRows<{ contentId: number; groupListId: number }>(db)`
    with list as materialized (
      select group_list_id, group_ids, row_number() over (order by cardinality(group_ids), group_list_id)::int as place
      from group_lists where workspace_id = ${workspaceId}
      order by place limit 500
    ), member as materialized (
      select u.group_id, bit_or(set_bit(0::bit(500), l.place - 1, 1)) as lists
      from list l cross join unnest(l.group_ids) u (group_id)
      group by u.group_id
    ), content as (
      select t.content_id, position(B'1' in bit_and(coalesce(m.lists, 0::bit(500)))) as place
      from contents t cross join unnest(t.group_ids) u (group_id) left join member m on m.group_id = u.group_id
      where t.content_id = any(${ids}::bigint[]) and exists (select from list)
      group by t.content_id
    )
    select content.content_id as "contentId", list.group_list_id as "groupListId"
    from content join list on list.place = content.place`;
  return new Map(rows.map(({ contentId, groupListId }) => [contentId, groupListId]));
}
