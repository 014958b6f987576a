import { dateIn, quietUntil, dayOf, type Day } from '../../accounts/quiet-hours.ts';
import { hasCap, readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import { isWarmingUp, capOn } from '../../accounts/warm-up.ts';
import type { CheckWarning } from './warn-of-frequency.ts';
import type { Gap } from '../../deliveries/pace.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';
import { namedIn, possessive, subjectOf, type SenderShare } from './count-senders.ts';
import { readRows, sql, type Connection, type Database } from '../../../platform/database/statements.ts';
import { waitingRuns } from '../read/waiting-runs.ts';
import { inSnapshot } from '../../../platform/database/in-snapshot.ts';

/** Warns of a run that falls into the rest of an account after a new link, and of the slow pace of its warm-up. */
export function warnOfPace(
  share: SenderShare,
  { window, dueAt, pace }: { window: SendWindow | undefined; dueAt: readonly Date[]; pace: Gap | undefined },
): CheckWarning[] {
  if (!window) return [];
  const { linkRestUntil, timeZone: zone } = window;
  const account = subjectOf(share);
  const warnings: CheckWarning[] = [];
  if (linkRestUntil && dueAt.some((at) => at.getTime() < linkRestUntil.epochMilliseconds)) {
    const time = linkRestUntil
      .toZonedDateTimeISO(zone)
      .toPlainTime()
      .round('minute')
      .toString({ smallestUnit: 'minute' });
    const message = `${account} was linked a short time ago. Its first post leaves at ${time} (${zone}) or later.`;
    warnings.push({ code: 'new_link', message, params: { ...namedIn(share), time, zone } });
  }
  const warmUp = pace?.warmUp;
  if (warmUp && warmUp.maxMs > 0 && dueAt.some((at) => isWarmingUp(window, dateIn(zone, at.toTemporalInstant())))) {
    const [min, max] = [warmUp.minMs, warmUp.maxMs].map((ms) => Math.round(ms / 1_000));
    const message = `${account} is warming up: it pauses for ${min} to ${max} s between two posts.`;
    warnings.push({ code: 'warm_up_pace', message, params: { ...namedIn(share), min: min ?? 0, max: max ?? 0 } });
  }
  return warnings;
}

/** Warns of the first run that falls into the quiet hours of an account that would send it, once for each such account. */
export function warnOfQuietHours(
  shares: readonly SenderShare[],
  { dueAt, windows }: { dueAt: readonly Date[]; windows: ReadonlyMap<AccountId, SendWindow> },
): CheckWarning[] {
  return shares.flatMap((share): CheckWarning[] => {
    const window = windows.get(share.accountId);
    if (!window?.quietHours) return [];
    const { quietHours, timeZone: zone } = window;
    const first = dueAt.find((at) => quietUntil(quietHours, zone, at.toTemporalInstant()));
    const until = first && quietUntil(quietHours, zone, first.toTemporalInstant());
    if (!first || !until) return [];
    const [from, to] = [first.toTemporalInstant(), until].map((at) => at.toZonedDateTimeISO(zone));
    const params = {
      ...namedIn(share),
      date: from?.toPlainDate().toString() ?? '',
      time: from?.toPlainTime().toString({ smallestUnit: 'minute' }) ?? '',
      until: to?.toPlainTime().toString({ smallestUnit: 'minute' }) ?? '',
      zone,
    };
    const message = `The run of ${params.date} at ${params.time} falls into the quiet hours of ${possessive(share)}. Its posts leave from ${params.until} on (${zone}).`;
    return [{ code: 'in_quiet_hours', message, params }];
  });
}

/** What shall be sent, and when. */
interface Planned {
  workspaceId: WorkspaceId;
  /** Which accounts send each time, to how many groups. */
  shares: ReadonlyArray<Pick<SenderShare, 'accountId' | 'name' | 'groups'>>;
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

/** From a run to the same time of the next day at most. */
const LONGEST_DAY_MS = 25 * 3_600_000;

/** Of each account that is to send more than its daily cap and warm-up allow, the first day of the owner on which it is. */
export function warnOfCap(db: Database, planned: Planned): Promise<CheckWarning[]> {
  // Of one moment: a post that is claimed in between would count as sent and as waiting, or not at all.
  return inSnapshot(db, (trx) => compareWithCaps(trx, planned));
}

async function compareWithCaps(trx: Connection, planned: Planned): Promise<CheckWarning[]> {
  const { shares, dueAt, now } = planned;
  const accountIds = shares.map(({ accountId }) => accountId);
  const capped = (await readSendWindows(trx, accountIds, planned.timeZone)).filter(hasCap);
  const [first] = capped;
  if (!first) return [];
  // The owner's, of all accounts.
  const { timeZone: zone } = first;
  const dateOf = (at: Date) => dateIn(zone, at.toTemporalInstant()).toString();
  const days = new Map([now, ...dueAt].map((at) => [dateOf(at), dayOf(zone, at.toTemporalInstant())]));
  const others = await readOthers(trx, planned, days);
  return shares.flatMap((share): CheckWarning[] => {
    const window = capped.find(({ accountId }) => accountId === share.accountId);
    if (!window) return [];
    const posts = new Map(others.get(window.accountId));
    const add = (date: string, count: number) => posts.set(date, (posts.get(date) ?? 0) + count);
    add(dateOf(now), window.sentToday ?? 0);
    for (const at of dueAt) add(dateOf(at), share.groups);
    const capAt = (date: string) => capOn(window, Temporal.PlainDate.from(date)) ?? Infinity;
    const date = dueAt.map(dateOf).find((one) => (posts.get(one) ?? 0) > capAt(one));
    if (date === undefined) return [];
    const last = dueAt.findLast((at) => dateOf(at) === date) ?? now;
    const isFollowed = dueAt.some((at) => at > last && at.getTime() <= last.getTime() + LONGEST_DAY_MS);
    const { dailyCap } = window;
    return [describeCap(share, { date, cap: capAt(date), dailyCap, posts: posts.get(date) ?? 0, isFollowed })];
  });
}

function describeCap(
  share: Planned['shares'][number],
  {
    date,
    cap,
    dailyCap,
    posts,
    isFollowed,
  }: Pick<SendWindow, 'dailyCap'> & { date: string; cap: number; posts: number; isFollowed: boolean },
): CheckWarning {
  const limit = cap === dailyCap ? `${cap} posts a day` : `${cap} posts on ${date}, while it warms up`;
  const planned = `${subjectOf(share)} sends at most ${limit}, and ${posts} posts are planned for ${cap === dailyCap ? date : 'that day'}.`;
  const params = { ...namedIn(share), date, cap, posts };
  return isFollowed
    ? {
        code: 'daily_cap_leaves_out',
        message: `${planned} The others of this campaign expire: its next run falls due before they could leave.`,
        params,
      }
    : {
        code: 'over_daily_cap',
        message: `${planned} The others leave from the same time of the next day on, after the posts of that day. They expire when the next run of their campaign falls due, or when no post of their run can be sent for 26 hours.`,
        params,
      };
}

/**
 * How many posts of other campaigns each account is to send on each of these days, without those in hand, which count as sent. The days are
 * not counted by PostgreSQL, which has zones of its own.
 */
async function readOthers(db: Connection, { workspaceId, except, resting }: Planned, days: ReadonlyMap<string, Day>) {
  const spans = [...days.values()];
  const begins = spans.map(({ begin }) => new Date(begin.epochMilliseconds));
  const ends = spans.map(({ end }) => new Date(end.epochMilliseconds));
  const last = new Date(Math.max(...ends.map(Number)));
  const rows = await readRows<{ accountId: AccountId; date: string; posts: number }>(db)`
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
    group by 1, 2`;
  const posts = new Map<AccountId, Map<string, number>>();
  for (const row of rows) posts.getOrInsertComputed(row.accountId, () => new Map()).set(row.date, row.posts);
  return posts;
}
