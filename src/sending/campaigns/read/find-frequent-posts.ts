/** Which groups get posts too often: a second one within an hour, or more than a number of them in seven days (contract §4). */
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { readRows, sql, type Connection } from '../../../platform/database/statements.ts';

/** Names are told of so many groups. */
const NAMED = 3;
/** A post counts in the windows of seven days that its day is in. */
const DAYS_BEFORE = 6;
const HOUR_MS = 3_600_000;

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
  /** The first time that it happens, of a draft's weeks the beginning of the day. */
  at: Date;
  /** Of some of the groups. */
  names: string[];
}

/** A planned run in question, or all posts of the draft, whose `runId` is 0. */
interface Asked {
  runId: number;
  batch: number;
  at: number;
  /** The days whose windows it is in, in order. */
  days: number[];
  /** Batches with a post less than an hour away: when the second of both is due for the first time, in this order. */
  near: Map<number, number>;
  hour: Hit;
  week: Hit;
}

type Hit = Pick<FrequentPosts, 'groups' | 'posts'> & { at: number; examples: number[] };

/**
 * Returns where groups get too many posts. Planned and queued posts of all campaigns of the workspace count, and those that were sent; no
 * tests, no paused and no deleted campaigns. A planned run is in question for what it adds to the posts before it, a draft also for what
 * follows it.
 */
export async function findFrequentPosts(
  db: Connection,
  workspaceId: WorkspaceId,
  { draft, runIds, first, last, weekly, timeZone }: FrequencyQuestion,
): Promise<FrequentPosts[]> {
  const start = first.subtract({ days: DAYS_BEFORE });
  const { days: length } = start.until(last.add({ days: draft ? DAYS_BEFORE + 2 : 2 }), { largestUnit: 'days' });
  const begins = Array.from({ length }, (_, days) => start.add({ days }).toZonedDateTime(timeZone).epochMilliseconds);
  const days = begins.map((begin) => new Date(begin));
  const batches = await readPostBatches(db, workspaceId, { days, groupIds: draft?.groupIds, except: draft?.except });
  if (draft) batches.unshift({ groupIds: draft.groupIds, runIds: [], times: draft.dueAt.map(Number) });
  const windows = batches.map(() => new Uint32Array(length));
  const asked = await sweep(batches, begins, windows, draft ? null : new Set(runIds));
  for (const [members, groupIds] of await listClasses(batches, new Set(asked.map(({ batch }) => batch)))) {
    await yieldToEventLoop();
    const isMember = new Uint8Array(batches.length);
    for (const batch of members) isMember[batch] = 1;
    const sums = sumWindows(members.flatMap((batch) => windows[batch] ?? []));
    for (const one of asked) {
      if (!isMember[one.batch]) continue;
      for (const [batch, at] of one.near) {
        if (!isMember[batch]) continue;
        addGroups(one.hour, groupIds, 2, at);
        break;
      }
      let [posts, begun] = [0, 0];
      for (const day of one.days) {
        const sum = sums[day] ?? 0;
        if (sum <= (weekly ?? Infinity)) continue;
        posts = Math.max(posts, sum);
        begun ||= day;
      }
      if (posts > 0) addGroups(one.week, groupIds, posts, (draft && begins[begun - 1]) ?? one.at);
    }
  }
  const hits = (['hour', 'week'] as const).flatMap((kind) =>
    asked.map((one) => ({ kind, runId: one.runId || null, ...one[kind] })).filter(({ groups }) => groups > 0),
  );
  const names = await readNames(db, [...new Set(hits.flatMap(({ examples }) => examples))]);
  return hits.map(({ examples, at, ...hit }) => {
    return { ...hit, at: new Date(at), names: examples.flatMap((id) => names.get(id) ?? []) };
  });
}

/** Counts the posts of each batch in the seven days up to each day. Returns what is in question: these runs, or for null the draft. */
async function sweep(
  batches: readonly PostBatch[],
  begins: readonly number[],
  windows: readonly Uint32Array[],
  runIds: ReadonlySet<number> | null,
): Promise<Asked[]> {
  const posts = batches.flatMap(({ runIds, times }, batch) =>
    times.map((at, index) => ({ batch, runId: runIds[index] ?? 0, at })),
  );
  posts.sort((a, b) => a.at - b.at || a.runId - b.runId);
  const asked = new Map<number, Asked>();
  const latest = batches.map(() => -Infinity);
  let day = 0;
  for (const { batch, runId, at } of posts) {
    while (day < begins.length - 1 && at >= (begins[day] ?? 0)) day += 1;
    windows[batch]?.subarray(day, day + DAYS_BEFORE + 1).forEach((count, index, days) => (days[index] = count + 1));
    if (runIds ? runIds.has(runId) : batch === 0) {
      await yieldToEventLoop();
      const { days, near } = asked.getOrInsertComputed(runId, () => {
        const [hour, week] = [createHit(), createHit()];
        return { runId, batch, at, days: [], near: new Map(), hour, week };
      });
      const end = runIds ? day : day + DAYS_BEFORE;
      for (let next = Math.max(day, 1 + (days.at(-1) ?? 0)); next <= end; next++) days.push(next);
      for (const [other, before] of latest.entries()) if (at - before < HOUR_MS) near.getOrInsert(other, at);
    } else if (!runIds && at - (latest[0] ?? 0) < HOUR_MS) asked.get(0)?.near.getOrInsert(batch, at);
    latest[batch] = at;
  }
  return [...asked.values()].sort((a, b) => a.runId - b.runId);
}

/** Returns the batches that groups of these batches are in, with the groups, the most groups first. */
async function listClasses(batches: readonly PostBatch[], asked: ReadonlySet<number>) {
  const batchesOf = new Map<number, number[]>();
  for (const batch of asked) for (const groupId of batches[batch]?.groupIds ?? []) batchesOf.set(groupId, []);
  for (const [batch, { groupIds }] of batches.entries()) {
    await yieldToEventLoop();
    for (const groupId of groupIds) batchesOf.get(groupId)?.push(batch);
  }
  const classes = new Map<string, [number[], number[]]>();
  for (const [groupId, members] of [...batchesOf].sort(([a], [b]) => a - b)) {
    await yieldToEventLoop();
    classes.getOrInsertComputed(members.join(), () => [members, []])[1].push(groupId);
  }
  return [...classes.values()].sort(([, a], [, b]) => b.length - a.length);
}

function sumWindows([first, ...others]: readonly Uint32Array[]): Uint32Array {
  const sums = Uint32Array.from(first ?? []);
  for (const counts of others)
    for (let day = 0; day < sums.length; day++) sums[day] = (sums[day] ?? 0) + (counts[day] ?? 0);
  return sums;
}

const createHit = (): Hit => ({ groups: 0, posts: 0, at: Infinity, examples: [] });

function addGroups(hit: Hit, groupIds: readonly number[], posts: number, at: number): void {
  hit.groups += groupIds.length;
  hit.posts = Math.max(hit.posts, posts);
  hit.at = Math.min(hit.at, at);
  if (hit.examples.length < NAMED) hit.examples.push(...groupIds.slice(0, NAMED - hit.examples.length));
}

async function readNames(db: Connection, groupIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await readRows<{ groupId: number; name: string }>(db)`
    select group_id as "groupId", name from groups where group_id = any(${groupIds}::bigint[])`;
  return new Map(rows.map(({ groupId, name }) => [groupId, name]));
}

/** How much is read, the nearest runs first. Beyond, figures are too low (contract §9). */
const [RUNS_LIMIT, CONTENTS_LIMIT, MEMBERS_LIMIT] = [20_000, 1_000, 1_000_000];

/** Posts to the same groups: the planned runs of a content, what groups got in one minute or on one day, or the draft. */
export interface PostBatch {
  /** A group is in it once for each of its posts at a time. */
  groupIds: readonly number[];
  runIds: readonly number[];
  /** Milliseconds since 1970, of planned runs in the order of `runIds`. */
  times: readonly number[];
}

/**
 * Reads the posts of a workspace from the first day on until the last one begins, of planned runs and recent ones. An overdue run is due now.
 * Recent posts count by the minute for an hour, and then by the day, so that there are few batches. `groupIds`: only posts to these;
 * `except`: not the planned runs of this campaign.
 */
export async function readPostBatches(
  db: Connection,
  workspaceId: WorkspaceId,
  {
    days,
    groupIds,
    except,
  }: { days: readonly Date[]; groupIds: readonly number[] | undefined; except: number | undefined },
): Promise<PostBatch[]> {
  const [from, to] = [days[0], days.at(-1)];
  const counts = groupIds ? sql`u.group_id in (select unnest(${[...groupIds]}::bigint[]))` : sql`true`;
  return readRows<PostBatch>(db)`
    with run as (
      select r.run_id, coalesce(r.content_id, c.content_id) as content_id, greatest(r.due_at, campanile_now()) as at
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      where r.workspace_id = ${workspaceId} and r.status = 'planned' and not r.paused and r.due_at >= ${from} and r.due_at < ${to}
        and c.deleted_at is null and not c.is_test and r.campaign_id is distinct from ${except ?? null}::bigint
      order by r.due_at limit ${RUNS_LIMIT}
    ), content as (
      select t.group_ids, o.run_ids, o.times, sum(cardinality(t.group_ids)) over (order by o.at, t.content_id) as upto
      from (select content_id, min(at) as at, array_agg(run_id order by run_id) as run_ids,
                   array_agg(floor(extract(epoch from at) * 1000)::bigint order by run_id) as times
            from run group by content_id order by at limit ${CONTENTS_LIMIT}) o
      join contents t on t.content_id = o.content_id
    ), begun as materialized (
      select * from (
        select r.workspace_id, r.run_id, r.content_id, r.status, r.expanded, r.targets,
               sum(r.targets) over (order by r.run_id desc) as upto
        from (
          select * from runs where workspace_id = ${workspaceId} and status = 'running'
          union all
          select * from runs where workspace_id = ${workspaceId} and finished_at >= ${from} and started_at is not null
        ) r
        join campaigns c on c.campaign_id = r.campaign_id
        where c.deleted_at is null and not c.is_test and not r.paused
      ) b where upto <= ${MEMBERS_LIMIT}
    ), post as (
      select d.group_id, coalesce(d.sent_at, campanile_now()) as at
      from begun b join deliveries d on d.workspace_id = b.workspace_id and d.run_id = b.run_id
      where d.status = 'sent' and d.sent_at >= ${from} or d.status = 'queued' and b.status = 'running'
      union all
      select u.group_id, campanile_now()
      from begun b join contents t on t.content_id = b.content_id, unnest(t.group_ids[b.expanded + 1 :]) u (group_id)
      where b.status = 'running' and b.expanded < b.targets
    )
    select array(select u.group_id from unnest(group_ids) u (group_id) where ${counts}) as "groupIds", run_ids as "runIds", times
    from content where upto <= ${MEMBERS_LIMIT}
    union all
    select array_agg(group_id), '{}', array[floor(extract(epoch from at) * 1000)::bigint]
    from (select group_id, case when at > campanile_now() - interval '1 hour' then date_trunc('minute', at)
                                else (${days}::timestamptz[])[width_bucket(at, ${days}::timestamptz[])] end as at
          from post u where ${counts}) p
    group by at`;
}
