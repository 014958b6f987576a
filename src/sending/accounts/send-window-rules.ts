import { readRows, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { dateIn, dayOf, quietUntil, type Day, type QuietHours } from './quiet-hours.ts';
import { capOn, isWarmingUp } from './warm-up.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** When an account rests, and what the groups of its workspace are spared, as the workspace wants it. */
export interface SendWindowRules {
  quietHours: QuietHours | null;
  /** Deliveries a day, of the owner's zone. */
  dailyCap: number | null;
  /** Of all accounts: how often a day all members of one group may be mentioned; 0: never. */
  mentionAllCap: number;
  /** Of all accounts: more posts to one group in seven days are warned of; null: any number is right. */
  weeklyPosts: number | null;
}

export type RestReason = 'new_link' | 'quiet_hours' | 'daily_cap' | 'warm_up';

/** The rules of an account, and what they allow now. */
export interface SendWindow extends SendWindowRules {
  accountId: AccountId;
  messenger: string;
  /** IANA: what the owner chose, else the installation's. */
  timeZone: string;
  /** In that zone. */
  today: Temporal.PlainDate;
  /** The first day of its warm-up, too; null: it has none, or it is over. */
  warmUpFrom: Temporal.PlainDate | null;
  /** How many deliveries may be sent today: what the daily cap and the warm-up allow; null: any number. */
  capToday: number | null;
  /** The same of yesterday, by the rules of today. */
  capYesterday: number | null;
  /** Posts of today that left, may have left, or are in hand; only counted where there is a cap today. */
  sentToday: number | null;
  /** The end of the rest after a new link; null: there is none. */
  linkRestUntil: Temporal.Instant | null;
  /** Nothing is sent before; null: it may send now. */
  until: Temporal.Instant | null;
  /** Nothing but quiet hours keeps it from sending now. */
  isOnlyQuiet: boolean;
  /** The rule that lasts longest. */
  reason: RestReason | null;
}

interface RuleRow extends Omit<SendWindowRules, 'quietHours'> {
  accountId: AccountId;
  messenger: string;
  quietFrom: string | null;
  quietTo: string | null;
  warmUpFrom: Date | null;
  linkRestUntil: Date | null;
  timeZone: string | null;
  now: Date;
}

/**
 * Returns the send windows of these accounts, without accounts of deleted owners. `timeZone` is the installation's. With the lanes
 * locked, the counts are current. With `countsAll`, today's posts are also counted where there is no cap.
 */
export async function readSendWindows(
  trx: Connection,
  accountIds: readonly AccountId[],
  timeZone: string,
  { countsAll = false }: { countsAll?: boolean } = {},
): Promise<SendWindow[]> {
  return selectWindows(trx, sql`a.account_id = any(${accountIds}::bigint[])`, { timeZone, countsAll });
}

/**
 * Returns the accounts of these workspaces that rest by their rules at an instant, by default now, where another account could send in their
 * place.
 */
export async function readResting(trx: Connection, workspaceIds: readonly WorkspaceId[], timeZone: string, at?: Date) {
  const which = sql`a.workspace_id = any(${[...workspaceIds]}::bigint[]) and a.removed_at is null and exists (
    select from lanes l where l.workspace_id = a.workspace_id and l.account_id <> a.account_id)`;
  const windows = await selectWindows(trx, which, { timeZone, countsAll: false, at });
  return windows.flatMap(({ accountId, until }) => (until ? [accountId] : []));
}

async function selectWindows(
  trx: Connection,
  which: RawBuilder<unknown>,
  { timeZone, countsAll, at }: { timeZone: string; countsAll: boolean; at?: Date | undefined },
): Promise<SendWindow[]> {
  const now = sql`coalesce(${at ?? null}::timestamptz, campanile_now())`;
  const rows = await readRows<RuleRow>(trx)`
    select a.account_id as "accountId", a.messenger, a.quiet_from as "quietFrom", a.quiet_to as "quietTo", a.daily_cap as "dailyCap", w.mention_all_cap as "mentionAllCap",
           w.weekly_posts as "weeklyPosts", a.warm_up_from as "warmUpFrom", u.time_zone as "timeZone", ${now} as now,
           -- A link in the future: the clock was set back, and the rest is not to last as much longer.
           case when a.linked_at <= campanile_now() and a.rests_until > ${now} then a.rests_until end as "linkRestUntil"
    from accounts a
    join workspaces w on w.workspace_id = a.workspace_id
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where ${which}`;
  const found = withDays(rows, timeZone);
  const sent = await countSent(trx, countsAll ? found : found.filter(hasCap));
  return found.map((row) => toSendWindow(row, sent.get(row.accountId) ?? 0, countsAll));
}

interface DatedRow extends RuleRow {
  timeZone: string;
  day: Day;
  quietHours: QuietHours | null;
  /** The end of the quiet hours that `now` is in. */
  quietEnd: Temporal.Instant | undefined;
}

/** Adds what the calendar says. Accounts share zones and times, and a calculation takes as long as a lookup in the database. */
function withDays(rows: readonly RuleRow[], fallback: string): DatedRow[] {
  const days = new Map<string, Day>();
  const quietEnds = new Map<string, Temporal.Instant | undefined>();
  return rows.map((row) => {
    const { quietFrom: from, quietTo: to } = row;
    const now = row.now.toTemporalInstant();
    const timeZone = knownTimeZone(row.timeZone, fallback);
    const day = days.getOrInsertComputed(timeZone, () => dayOf(timeZone, now));
    if (from === null || to === null) return { ...row, timeZone, day, quietHours: null, quietEnd: undefined };
    const quietEnd = quietEnds.getOrInsertComputed(`${timeZone} ${from} ${to}`, () =>
      quietUntil({ from, to }, timeZone, now),
    );
    return { ...row, timeZone, day, quietHours: { from, to }, quietEnd };
  });
}

function toSendWindow(row: DatedRow, sent: number, countsAll: boolean): SendWindow {
  const { quietFrom: _from, quietTo: _to, now: _now, day, quietEnd, ...rules } = row;
  const { quietHours, dailyCap, timeZone } = rules;
  const began = row.warmUpFrom && dateIn(timeZone, row.warmUpFrom.toTemporalInstant());
  const warmUpFrom = began && isWarmingUp({ dailyCap, warmUpFrom: began }, day.date) ? began : null;
  const capToday = capOn({ dailyCap, warmUpFrom }, day.date);
  const capYesterday = capOn({ dailyCap, warmUpFrom: began }, day.date.subtract({ days: 1 }));
  const sentToday = capToday === null && !countsAll ? null : sent;
  const isUsedUp = capToday !== null && sent >= capToday;
  const linkRestUntil = row.linkRestUntil?.toTemporalInstant() ?? null;
  const usedUp: RestReason = capToday === dailyCap ? 'daily_cap' : 'warm_up';
  const rests: Array<[RestReason, Temporal.Instant | null | undefined]> = [
    ['quiet_hours', quietEnd],
    [usedUp, isUsedUp ? day.end : null],
    ['new_link', linkRestUntil],
  ];
  const [reason, end] = findLast(rests);
  // A rest may end within quiet hours.
  const until = end && ((quietHours && quietUntil(quietHours, timeZone, end)) ?? end);
  const isOnlyQuiet = quietEnd !== undefined && !isUsedUp && linkRestUntil === null;
  const now = { today: day.date, warmUpFrom, capToday, capYesterday, sentToday, linkRestUntil };
  return { ...rules, ...now, until: until ?? null, isOnlyQuiet, reason: reason ?? null };
}

/** Returns the rest that ends last. */
function findLast(
  rests: ReadonlyArray<[RestReason, Temporal.Instant | null | undefined]>,
): [RestReason, Temporal.Instant] | [] {
  const begun = rests.flatMap(([reason, end]): Array<[RestReason, Temporal.Instant]> => (end ? [[reason, end]] : []));
  return begun.toSorted(([, one], [, other]) => Temporal.Instant.compare(other, one))[0] ?? [];
}

export function hasCap({ dailyCap, warmUpFrom }: Pick<RuleRow | SendWindow, 'dailyCap' | 'warmUpFrom'>): boolean {
  return dailyCap !== null || warmUpFrom !== null;
}

/** Counts today's posts of each account. */
async function countSent(trx: Connection, accounts: readonly DatedRow[]): Promise<ReadonlyMap<number, number>> {
  if (accounts.length === 0) return new Map();
  const rows = await readRows<{ accountId: AccountId; sent: number }>(trx)`
    select i.account_id as "accountId",
           (select coalesce(sum(s.posts), 0) from sent_slots s where s.account_id = i.account_id and s.slot >= i.begins_at)::int
           + case when l.sent_slot >= i.begins_at then l.sent_in_slot else 0 end as sent
    from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[], ${accounts.map(({ day }) => day.begin.toString())}::timestamptz[])
           i (account_id, begins_at)
    join lanes l on l.account_id = i.account_id`;
  return new Map(rows.map(({ accountId, sent }) => [accountId, sent]));
}
