import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { dateIn, dayOf, nextQuietStart, quietUntil, type QuietHours } from './quiet-hours.ts';
import { capOn, dayOfWarmUp, WARM_UP_CAPS } from './warm-up.ts';

/** When an account rests, as its workspace wants it. */
export interface SendWindowRules {
  quietHours: QuietHours | null;
  /** Deliveries a day, of the owner's zone. */
  dailyCap: number | null;
}

/** The rules of an account, and what they allow now. */
export interface SendWindow extends SendWindowRules {
  accountId: number;
  /** IANA: what the owner chose, else the installation's. */
  timeZone: string;
  /** In that zone. */
  today: Temporal.PlainDate;
  /** The first day of its warm-up, too; null: it has none, or it is over. */
  warmUpFrom: Temporal.PlainDate | null;
  /** How many deliveries may be sent today: what the daily cap and the warm-up allow; null: any number. */
  capToday: number | null;
  /** Only counted where there is a cap today. */
  sentToday: number | null;
  /** Nothing is sent before; null: it may send now. */
  until: Temporal.Instant | null;
  /** When what is said here may be over; null: there are no rules. */
  changesAt: Temporal.Instant | null;
}

interface RuleRow {
  accountId: number;
  quietFrom: string | null;
  quietTo: string | null;
  dailyCap: number | null;
  warmUpFrom: Date | null;
  timeZone: string | null;
  now: Date;
}

/**
 * Returns the send windows of these accounts, without accounts of deleted owners. `timeZone` is the installation's. With the lanes
 * locked, the counts are current.
 */
export async function readSendWindows(
  trx: Connection,
  accountIds: readonly number[],
  timeZone: string,
): Promise<SendWindow[]> {
  const { rows } = await sql<RuleRow>`
    select a.account_id as "accountId", a.quiet_from as "quietFrom", a.quiet_to as "quietTo", a.daily_cap as "dailyCap",
           a.warm_up_from as "warmUpFrom", u.time_zone as "timeZone", campanile_now() as now
    from accounts a
    join memberships o on o.workspace_id = a.workspace_id and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where a.account_id = any(${accountIds}::bigint[])`.execute(trx);
  const rests: SendWindow[] = [];
  for (const row of rows) rests.push(await toSendWindow(trx, row, knownTimeZone(row.timeZone, timeZone)));
  return rests;
}

async function toSendWindow(trx: Connection, row: RuleRow, timeZone: string): Promise<SendWindow> {
  const { accountId, quietFrom, quietTo, dailyCap } = row;
  const now = row.now.toTemporalInstant();
  const today = dateIn(timeZone, now);
  const quietHours = quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo };
  const began = row.warmUpFrom && dateIn(timeZone, row.warmUpFrom.toTemporalInstant());
  const warmUpFrom = began && dayOfWarmUp(began, today) <= WARM_UP_CAPS.length ? began : null;
  const capToday = capOn({ dailyCap, warmUpFrom }, today);
  const day = dayOf(timeZone, now);
  const sentToday = capToday === null ? null : await countSent(trx, accountId, day.begin);
  const isUsedUp = capToday !== null && sentToday !== null && sentToday >= capToday;
  const until = (quietHours && quietUntil(quietHours, timeZone, now)) ?? (isUsedUp ? day.end : null);
  const changes = [
    ...(until ? [until] : []),
    ...(quietHours ? [nextQuietStart(quietHours, timeZone, now)] : []),
    ...(quietHours || capToday !== null ? [day.end] : []),
  ];
  const [changesAt = null] = changes.toSorted((one, other) => Temporal.Instant.compare(one, other));
  return { accountId, quietHours, dailyCap, today, warmUpFrom, capToday, timeZone, sentToday, until, changesAt };
}

/**
 * Counts the deliveries that the account has sent since then: from the sums of runs that began since, and from the deliveries of older
 * ones.
 */
async function countSent(trx: Connection, accountId: number, since: Temporal.Instant): Promise<number> {
  const at = new Date(since.epochMilliseconds);
  const { rows } = await sql<{ sent: number }>`
    with run as materialized (
      select run_id, sent, started_at from runs where account_id = ${accountId} and status = 'running'
      union all
      select run_id, sent, started_at from runs
      where account_id = ${accountId} and finished_at >= ${at} and status <> 'running'
    )
    select coalesce(sum(case when r.started_at >= ${at} then r.sent else (
      select count(*) from deliveries d where d.account_id = ${accountId} and d.run_id = r.run_id and d.sent_at >= ${at}) end), 0)::int
      as sent
    from run r where r.sent > 0`.execute(trx);
  return rows[0]?.sent ?? 0;
}
