import { sql } from 'kysely';
import { readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import { dateIn, dayOf } from '../../accounts/quiet-hours.ts';
import { capOn } from '../../accounts/warm-up.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { runsOfLane, waitingPosts } from '../read/waiting-runs.ts';
import type { CheckWarning } from './check-warning.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** What shall be sent, and when. */
interface Planned {
  groups: number;
  /** In order, one at least. */
  dueAt: readonly Date[];
  /** What this campaign has to send does not count. */
  except: number | undefined;
  /** IANA, the installation's. */
  timeZone: string;
  now: Date;
}

/** Of the first day of the account's owner on which more is to be sent than the daily cap and the warm-up allow; undefined where there is none. */
export async function warnOfCap(
  db: Database,
  accountId: AccountId,
  planned: Planned,
): Promise<CheckWarning | undefined> {
  const [usual] = await readSendWindows(db, [accountId], planned.timeZone);
  // Most accounts have none, and their checks need no transaction.
  if (!hasCap(usual)) return undefined;
  // Of one moment: a post that is claimed in between would count as sent and as waiting, or not at all.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => compareWithCap(trx, accountId, planned));
}

function hasCap(window: SendWindow | undefined): window is SendWindow {
  return window !== undefined && (window.dailyCap !== null || window.warmUpFrom !== null);
}

async function compareWithCap(
  trx: Connection,
  accountId: AccountId,
  { groups, dueAt, except, timeZone, now }: Planned,
): Promise<CheckWarning | undefined> {
  const [rest] = await readSendWindows(trx, [accountId], timeZone);
  if (!hasCap(rest)) return undefined;
  const { dailyCap, timeZone: zone } = rest;
  const dateOf = (at: Date) => dateIn(zone, at.toTemporalInstant()).toString();
  const days = new Map([now, ...dueAt].map((at) => [dateOf(at), dayOf(zone, at.toTemporalInstant())]));
  const posts = await readOthers(trx, accountId, { days, except });
  const add = (date: string, count: number) => posts.set(date, (posts.get(date) ?? 0) + count);
  add(dateOf(now), rest.sentToday ?? 0);
  for (const at of dueAt) add(dateOf(at), groups);
  const capAt = (date: string) => capOn(rest, Temporal.PlainDate.from(date)) ?? Infinity;
  const date = dueAt.map(dateOf).find((one) => (posts.get(one) ?? 0) > capAt(one));
  if (date === undefined) return undefined;
  const cap = capAt(date);
  const limit = cap === dailyCap ? `${cap} posts a day` : `${cap} posts on ${date}, while it warms up`;
  return {
    code: 'over_daily_cap',
    message: `Your account sends at most ${limit}, and ${posts.get(date)} posts are planned for ${cap === dailyCap ? date : 'that day'}. The others wait for the next day. Waiting posts expire when the next run of their campaign falls due, or when no post of their run can be sent for 26 hours.`,
    params: { date, cap, posts: posts.get(date) ?? 0 },
  };
}

type Day = ReturnType<typeof dayOf>;

/**
 * How many posts of other campaigns the account is to send on each of these days, without those in hand, which count as sent. The days are
 * not counted by PostgreSQL, which has zones of its own.
 */
async function readOthers(
  db: Connection,
  accountId: AccountId,
  { days, except }: { days: ReadonlyMap<string, Day>; except: number | undefined },
): Promise<Map<string, number>> {
  const spans = [...days.values()];
  const begins = spans.map(({ begin }) => new Date(begin.epochMilliseconds));
  const ends = spans.map(({ end }) => new Date(end.epochMilliseconds));
  const { rows } = await sql<{ date: string; posts: number }>`
    with day as materialized (
      select * from unnest(${[...days.keys()]}::text[], ${begins}::timestamptz[], ${ends}::timestamptz[]) d (date, begins_at, ends_at)
    ), due as materialized (
      select greatest(r.due_at, campanile_now()) as at,
             sum(${waitingPosts} - coalesce(h.posts, 0)) as posts
      from ${runsOfLane}
      left join lateral (
        select sum(upper(i) - lower(i)) as posts from lanes l, unnest(l.in_hand) i
        where l.account_id = o.account_id and l.in_hand_run_id = r.run_id) h on true
      where o.account_id = ${accountId} and r.status in ('planned', 'running') and not r.paused
        and r.due_at < (select max(ends_at) from day) and r.campaign_id is distinct from ${except ?? null}::bigint
      group by 1
    )
    select day.date, sum(due.posts)::int8 as posts
    from day join due on due.at >= day.begins_at and due.at < day.ends_at
    group by 1`.execute(db);
  return new Map(rows.map((row) => [row.date, row.posts]));
}
