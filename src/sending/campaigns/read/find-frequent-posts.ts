/** Which groups get posts too often: a second one within an hour, or more than a number of them in seven days (contract §4). */
import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';

/**
 * How much is counted, the nearest runs first. Runs, contents and groups bound what is read; posts bound what is compared, of the most
 * groups first. Beyond, figures are too low (contract §9).
 */
const [RUNS_LIMIT, CONTENTS_LIMIT, MEMBERS_LIMIT, POSTS_LIMIT] = [20_000, 1_000, 1_000_000, 1_000_000];
/** Names are told of so many groups. */
const NAMED = 3;
/** A post counts in the windows of seven days that its day is in. */
const DAYS_BEFORE = 6;

export interface FrequencyQuestion {
  /** The runs in question: those of a campaign that is to be added, or changed; null: the planned ones of `runIds`. */
  draft: { groupIds: readonly number[]; dueAt: readonly Date[]; except: number | undefined } | null;
  runIds: readonly number[];
  /** First and last date in question, `YYYY-MM-DD` in the zone. */
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
  /** More posts in seven days are too many; null: any number is right. */
  weekly: number | null;
  /** IANA, of the days. */
  timeZone: string;
}

/** Too many posts, because of the runs in question. */
export interface FrequentPosts {
  kind: 'hour' | 'week';
  /** null: the draft. */
  runId: number | null;
  /** How many groups get too many. */
  groups: number;
  /** The highest number of posts of one group in seven days. */
  posts: number;
  /** The first time that it happens. */
  at: Date;
  /** Of some of the groups. */
  names: string[];
}

/**
 * Returns where groups get too many posts. Planned and queued posts of all campaigns of the account count, and those that were sent; no
 * tests, no paused and no deleted campaigns. A planned run is in question for what it adds to the posts before it, a draft also for what
 * follows it.
 *
 * Groups with the same campaigns and the same recent posts are one class: 10,000 groups with a few campaigns are a few classes, and a
 * class with a year of runs is some hundred rows. So the costs do not grow with the number of single posts.
 */
export async function findFrequentPosts(
  db: Connection,
  accountId: number,
  question: FrequencyQuestion,
): Promise<FrequentPosts[]> {
  const { draft, runIds, first, last, weekly, timeZone } = question;
  const dates = listDates(first.subtract({ days: DAYS_BEFORE }), draft ? last.add({ days: DAYS_BEFORE }) : last);
  const beginOf = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
  const days = dates.map(beginOf);
  const span = {
    from: beginOf(dates[0] ?? first),
    to: beginOf((dates.at(-1) ?? last).add({ days: 1 })),
  };
  const asked = draft !== null;
  const { rows } = await sql<Omit<FrequentPosts, 'names'> & { examples: string[] }>`
    with ${countedRuns(accountId, draft, { ...span, runIds })}, ${recentPosts(accountId, draft, { from: span.from, days })}, ${classes(draft)},
    event as (
      select k.class, r.run_id, r.at, r.is_asked from class k, unnest(k.contents) u (content_id) join run r on r.content_id = u.content_id
      union all
      select k.class, null, u.at, false from class k, unnest(k.times) u (at)
      union all
      select k.class, 0, d.at, true from class k, unnest(${draft?.dueAt ?? []}::timestamptz[]) d (at)
    ), counted as (
      -- The days are not counted by PostgreSQL, which has zones of its own.
      select *, count(*) over week as posts, bool_or(is_asked) over week as in_week, lag(at) over line as before_at,
             coalesce(lag(is_asked) over line, false) as before_asked
      from (select *, width_bucket(at, ${days}::timestamptz[]) as day from event) e
      window week as (partition by class order by day range between ${DAYS_BEFORE}::int preceding and current row),
             line as (partition by class order by at, run_id nulls first)
    ), hit as (
      select 'week' as kind, case when not ${asked}::boolean then run_id end as run_id, class, max(posts)::int as posts, min(at) as at
      from counted where posts > ${weekly}::int and (is_asked or ${asked}::boolean and in_week) group by 2, 3
      union all
      select 'hour', case when not ${asked}::boolean then run_id end, class, 2, min(at)
      from counted
      where at - before_at < interval '1 hour' and (is_asked or ${asked}::boolean and before_asked) group by 2, 3
    )
    select h.kind, h.run_id as "runId", sum(k.groups)::int as groups, max(h.posts) as posts, min(h.at) as at,
           (array_agg(array_to_string(k.examples, ',') order by k.groups desc, k.class))[1 : ${NAMED}::int] as examples
    from hit h join class k on k.class = h.class
    group by h.kind, h.run_id order by h.kind, h.run_id`.execute(db);
  const idsOf = (examples: readonly string[]) => examples.flatMap((ids) => ids.split(',').map(Number)).slice(0, NAMED);
  const names = await readNames(db, [...new Set(rows.flatMap((row) => idsOf(row.examples)))]);
  return rows.map(({ examples, ...row }) => ({ ...row, names: idsOf(examples).flatMap((id) => names.get(id) ?? []) }));
}

type Draft = FrequencyQuestion['draft'];

/** `run`: what is planned, and whether it is in question. An overdue run is due now. */
const countedRuns = (
  accountId: number,
  draft: Draft,
  { from, to, runIds }: { from: Date; to: Date; runIds: readonly number[] },
) => sql`
    run as materialized (
      select r.run_id, coalesce(r.content_id, c.content_id) as content_id, greatest(r.due_at, campanile_now()) as at,
             r.run_id in (select unnest(${[...runIds]}::bigint[])) as is_asked
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      where r.account_id = ${accountId} and r.status = 'planned' and not r.paused and r.due_at >= ${from} and r.due_at < ${to}
        and c.deleted_at is null and not c.is_test and r.campaign_id is distinct from ${draft?.except ?? null}::bigint
      order by r.due_at limit ${RUNS_LIMIT}
    )`;

/**
 * `seen`: when each group got its posts, or gets what is queued. The minute counts for an hour, and then the day, so that there are few
 * classes.
 */
const recentPosts = (accountId: number, draft: Draft, { from, days }: { from: Date; days: readonly Date[] }) => sql`
    begun as materialized (
      select * from (
        select r.account_id, r.run_id, r.content_id, r.status, r.expanded, r.targets,
               sum(r.targets) over (order by r.run_id desc) as upto
        from (
          select * from runs where account_id = ${accountId} and status = 'running'
          union all
          select * from runs where account_id = ${accountId} and finished_at >= ${from} and started_at is not null
        ) r
        join campaigns c on c.campaign_id = r.campaign_id
        where c.deleted_at is null and not c.is_test and not r.paused
      ) b where upto <= ${MEMBERS_LIMIT}
    ), post as (
      select d.group_id, coalesce(d.sent_at, campanile_now()) as at
      from begun b join deliveries d on d.account_id = b.account_id and d.run_id = b.run_id
      where d.status = 'sent' and d.sent_at >= ${from} or d.status = 'queued' and b.status = 'running'
      union all
      select u.group_id, campanile_now()
      from begun b join contents t on t.content_id = b.content_id, unnest(t.group_ids[b.expanded + 1 :]) u (group_id)
      where b.status = 'running' and b.expanded < b.targets
    ), seen as (
      select group_id, array_agg(at order by at) as times
      from (
        select group_id, case when at > campanile_now() - interval '1 hour' then date_trunc('minute', at)
                              else (${days}::timestamptz[])[width_bucket(at, ${days}::timestamptz[])] end as at
        from post where ${isAsked(draft, sql.ref('group_id'))}
      ) p group by group_id
    )`;

/** `class`: the groups that get the same posts. */
const classes = (draft: Draft) => sql`
    content as (
      select content_id, group_ids from (
        select t.content_id, t.group_ids, sum(cardinality(t.group_ids)) over (order by o.at, t.content_id) as upto
        from (select content_id, min(at) as at from run group by content_id order by at limit ${CONTENTS_LIMIT}) o
        join contents t on t.content_id = o.content_id
      ) c where upto <= ${MEMBERS_LIMIT}
    ), member as (
      select u.group_id, array_agg(c.content_id order by c.content_id) as contents
      from content c, unnest(c.group_ids) u (group_id) where ${isAsked(draft, sql.ref('u.group_id'))} group by u.group_id
    ), target as (
      ${draft ? sql`select group_id from unnest(${[...draft.groupIds]}::bigint[]) t (group_id)` : sql`select group_id from member`}
    ), class as materialized (
      select * from (
        select *, row_number() over largest as class, sum(posts) over (largest rows unbounded preceding) as upto
        from (
          select m.contents, s.times, count(*)::int as groups, (array_agg(t.group_id order by t.group_id))[1 : ${NAMED}::int] as examples,
                 1 + coalesce(cardinality(s.times), 0)
                   + coalesce((select sum(n.runs) from unnest(m.contents) u (content_id)
                               join (select content_id, count(*) as runs from run group by content_id) n on n.content_id = u.content_id), 0) as posts
          from target t left join member m on m.group_id = t.group_id left join seen s on s.group_id = t.group_id
          group by m.contents, s.times
        ) k
        window largest as (order by groups desc, examples)
      ) k where upto - posts < ${POSTS_LIMIT}
    )`;

function isAsked(draft: Draft, groupId: RawBuilder<unknown>): RawBuilder<boolean> {
  return draft ? sql`${groupId} in (select unnest(${[...draft.groupIds]}::bigint[]))` : sql`true`;
}

function listDates(first: Temporal.PlainDate, last: Temporal.PlainDate): Temporal.PlainDate[] {
  const count = first.until(last, { largestUnit: 'days' }).days + 1;
  return Array.from({ length: Math.max(0, count) }, (_, days) => first.add({ days }));
}

async function readNames(db: Connection, groupIds: readonly number[]): Promise<Map<number, string>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db.selectFrom('groups').select(['group_id', 'name']).where('group_id', 'in', groupIds).execute();
  return new Map(rows.map((row) => [row.group_id, row.name]));
}
