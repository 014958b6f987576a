/** Posts that a used up daily cap or warm-up has left over: they leave at the hour of day of their plan, after the posts of the day (contract §5). */
import { readRows, type Connection } from '../../platform/database/statements.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { dayOf, nextTimeOfDay, quietUntil } from './quiet-hours.ts';
import type { RestReason, SendWindow } from './send-window-rules.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** When a run was to leave. */
export interface Plan {
  dueAt: Date;
  /** IANA, of its schedule; null: the owner's. */
  timeZone: string | null;
  ignoresQuietHours: boolean;
}

/** A run that an account has begun on an earlier day, and of which the cap of yesterday left something over. */
export interface Leftover {
  runId: number;
  /** Today it leaves from then on. */
  at: Temporal.Instant;
  isWaiting: boolean;
  reason: RestReason;
}

/** Returns the first instant from `from` on with the hour of day at which the posts of a plan leave, which is not in quiet hours. */
export function nextHourOf(
  { dueAt, timeZone, ignoresQuietHours }: Plan,
  { quietHours, timeZone: ownersZone }: Pick<SendWindow, 'quietHours' | 'timeZone'>,
  from: Temporal.Instant,
): Temporal.Instant {
  const due = dueAt.toTemporalInstant();
  const isQuiet = quietHours !== null && !ignoresQuietHours;
  const leavesAt = (isQuiet && quietUntil(quietHours, ownersZone, due)) || due;
  return nextTimeOfDay(leavesAt, knownTimeZone(timeZone, ownersZone), from);
}

/** Returns the leftovers of these accounts, of each the newest run first. With the lanes locked, they are current. */
export async function readLeftovers(
  trx: Connection,
  windows: readonly SendWindow[],
): Promise<ReadonlyMap<AccountId, Leftover[]>> {
  const capped = windows.flatMap(({ capYesterday, ...window }) => {
    if (capYesterday === null) return [];
    const begin = window.today.toZonedDateTime(window.timeZone).toInstant();
    return [{ ...window, begin, capYesterday, yesterday: dayOf(window.timeZone, begin.subtract({ seconds: 1 })) }];
  });
  if (capped.length === 0) return new Map();
  const rows = await readRows<Plan & { accountId: AccountId; runId: number; now: Date }>(trx)`
    with capped as materialized (
      select i.*, l.workspace_id, l.sent_slot, l.sent_in_slot
      from unnest(${capped.map((one) => one.accountId)}::bigint[], ${capped.map((one) => one.yesterday.begin.toString())}::timestamptz[],
                  ${capped.map((one) => one.begin.toString())}::timestamptz[], ${capped.map((one) => one.capYesterday)}::int[])
             i (account_id, yesterday, today, cap)
      join lanes l on l.account_id = i.account_id
    ), run as materialized (
      select c.account_id, r.* from capped c
      -- The order forces the index of what is running.
      cross join lateral (
        select run_id, campaign_id, due_at, ignores_quiet_hours from runs r
        where r.workspace_id = c.workspace_id and r.status = 'running' and not r.paused and r.due_at < c.today
        order by r.workspace_id, r.run_id) r
    ), used_up as materialized (
      select c.account_id from capped c
      where exists (select from run where run.account_id = c.account_id)
        and (select coalesce(sum(s.posts), 0) from sent_slots s where s.account_id = c.account_id and s.slot >= c.yesterday and s.slot < c.today)
            + case when c.sent_slot >= c.yesterday and c.sent_slot < c.today then c.sent_in_slot else 0 end >= c.cap
    )
    select run.account_id as "accountId", run.run_id as "runId", run.due_at as "dueAt", run.ignores_quiet_hours as "ignoresQuietHours",
           (select time_zone from campaigns where campaign_id = run.campaign_id limit 1) as "timeZone", campanile_now() as now
    from run join used_up using (account_id)
    order by run.due_at desc, run.run_id desc`;
  const byAccount = new Map(capped.map((one) => [one.accountId, one]));
  const leftovers = rows.flatMap(({ accountId, runId, now, ...plan }) => {
    const window = byAccount.get(accountId);
    if (!window) return [];
    const at = nextHourOf(plan, window, window.begin);
    const isWaiting = Temporal.Instant.compare(now.toTemporalInstant(), at) < 0;
    const reason: RestReason = window.capYesterday === window.dailyCap ? 'daily_cap' : 'warm_up';
    return [{ accountId, runId, at, isWaiting, reason }];
  });
  return Map.groupBy(leftovers, ({ accountId }) => accountId);
}
