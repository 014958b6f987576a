import { sql } from 'kysely';
import { readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import { dateIn, dayOf } from '../../accounts/quiet-hours.ts';
import { capOn } from '../../accounts/warm-up.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { waitingRuns } from '../read/waiting-runs.ts';
import type { CheckWarning } from './check-warning.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

/** What shall be sent, and when. */
interface Planned {
  workspaceId: WorkspaceId;
  /** Which accounts send each time, to how many groups. */
  shares: ReadonlyArray<{ accountId: AccountId; groups: number }>;
  /** In order, one at least. */
  dueAt: readonly Date[];
  /** What this campaign has to send does not count. */
  except: number | undefined;
  /** Accounts that send other planned runs only where no other can. */
  resting: readonly AccountId[];
  /** IANA, the installation's. */
  timeZone: string;
  now: Date;
}

/** Of the first day of the owner on which an account is to send more than its daily cap and warm-up allow; undefined where there is none. */
export async function warnOfCap(db: Database, planned: Planned): Promise<CheckWarning | undefined> {
  // Most accounts have none, and their checks need no transaction.
  if ((await readCapped(db, planned)).length === 0) return undefined;
  // Of one moment: a post that is claimed in between would count as sent and as waiting, or not at all.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => compareWithCaps(trx, planned));
}

async function readCapped(db: Connection, { shares, timeZone }: Planned): Promise<SendWindow[]> {
  const accountIds = shares.map(({ accountId }) => accountId);
  const windows = await readSendWindows(db, accountIds, timeZone);
  return windows.filter(({ dailyCap, warmUpFrom }) => dailyCap !== null || warmUpFrom !== null);
}

async function compareWithCaps(trx: Connection, planned: Planned): Promise<CheckWarning | undefined> {
  const { shares, dueAt, now } = planned;
  const capped = await readCapped(trx, planned);
  const [first] = capped;
  if (!first) return undefined;
  // The owner's, of all accounts.
  const { timeZone: zone } = first;
  const dateOf = (at: Date) => dateIn(zone, at.toTemporalInstant()).toString();
  const days = new Map([now, ...dueAt].map((at) => [dateOf(at), dayOf(zone, at.toTemporalInstant())]));
  const others = await readOthers(trx, planned, days);
  const exceeded = capped.flatMap((window) => {
    const posts = new Map(others.get(window.accountId));
    const add = (date: string, count: number) => posts.set(date, (posts.get(date) ?? 0) + count);
    add(dateOf(now), window.sentToday ?? 0);
    const groups = shares.find(({ accountId }) => accountId === window.accountId)?.groups ?? 0;
    for (const at of dueAt) add(dateOf(at), groups);
    const capAt = (date: string) => capOn(window, Temporal.PlainDate.from(date)) ?? Infinity;
    const date = dueAt.map(dateOf).find((one) => (posts.get(one) ?? 0) > capAt(one));
    return date === undefined ? [] : [{ ...window, date, cap: capAt(date), posts: posts.get(date) ?? 0 }];
  });
  return exceeded.toSorted((one, other) => (one.date < other.date ? -1 : 1)).map(describeCap)[0];
}

function describeCap({
  accountId,
  date,
  cap,
  dailyCap,
  posts,
}: Pick<SendWindow, 'accountId' | 'dailyCap'> & { date: string; cap: number; posts: number }): CheckWarning {
  const limit = cap === dailyCap ? `${cap} posts a day` : `${cap} posts on ${date}, while it warms up`;
  return {
    code: 'over_daily_cap',
    message: `Your account sends at most ${limit}, and ${posts} posts are planned for ${cap === dailyCap ? date : 'that day'}. The others wait for the next day. Waiting posts expire when the next run of their campaign falls due, or when no post of their run can be sent for 26 hours.`,
    params: { account_id: accountId, date, cap, posts },
  };
}

type Day = ReturnType<typeof dayOf>;

/**
 * How many posts of other campaigns each account is to send on each of these days, without those in hand, which count as sent. The days are
 * not counted by PostgreSQL, which has zones of its own.
 */
async function readOthers(
  db: Connection,
  { workspaceId, except, resting }: Planned,
  days: ReadonlyMap<string, Day>,
): Promise<Map<AccountId, Map<string, number>>> {
  const spans = [...days.values()];
  const begins = spans.map(({ begin }) => new Date(begin.epochMilliseconds));
  const ends = spans.map(({ end }) => new Date(end.epochMilliseconds));
  const last = new Date(Math.max(...ends.map(Number)));
  const { rows } = await sql<{ accountId: AccountId; date: string; posts: number }>`
    with day as materialized (
      select * from unnest(${[...days.keys()]}::text[], ${begins}::timestamptz[], ${ends}::timestamptz[]) d (date, begins_at, ends_at)
    ), ${waitingRuns({ workspaceId, which: sql`r.due_at < ${last}`, except, resting })}, due as materialized (
      select w.account_id, greatest(w.due_at, campanile_now()) as at, sum(w.posts - coalesce(h.posts, 0)) as posts
      from waiting w
      left join lateral (
        select sum(upper(i) - lower(i)) as posts from lanes l, unnest(l.in_hand) i
        where l.account_id = w.account_id and l.in_hand_run_id = w.run_id) h on true
      group by 1, 2
    )
    select due.account_id as "accountId", day.date, sum(due.posts)::int8 as posts
    from day join due on due.at >= day.begins_at and due.at < day.ends_at
    group by 1, 2`.execute(db);
  const posts = new Map<AccountId, Map<string, number>>();
  for (const row of rows) posts.getOrInsertComputed(row.accountId, () => new Map()).set(row.date, row.posts);
  return posts;
}
