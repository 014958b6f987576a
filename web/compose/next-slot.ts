import { call } from '../api/call.ts';
import { addDays } from '../calendar/days.ts';
import { instantOf, localTime } from '../format/local-time.ts';
import { dateIn } from '../format/time.ts';

/** A day and a time of day, `YYYY-MM-DD` and `HH:MM`, in the zone of the schedule. */
export interface Slot {
  date: string;
  time: string;
}

export interface Wanted {
  groupIds: readonly number[];
  /** The hour that was read best, in the zone of the report, or the time of the form. */
  at: { time: string; zone: string };
  /** Of the schedule. */
  zone: string;
}

const DAYS_AHEAD = 60;
const PAGE = 1_000;
const MOST_PAGES = 5;
/** Quiet hours of several accounts may follow one another. */
const MOST_TRIES = 3;

/** Returns the next day on which none of the groups has a run, at a time outside of quiet hours; undefined: none of the next 60 days is free. */
export async function findNextSlot({ groupIds, at, zone }: Wanted, signal: AbortSignal): Promise<Slot | undefined> {
  const now = new Date();
  const today = dateIn(now, at.zone);
  const taken = await listTaken(
    groupIds,
    { first: addDays(today, -1), last: addDays(today, DAYS_AHEAD + 1), zone },
    signal,
  );
  const isFree = (instant: Date) => instant > now && !taken.has(dateIn(instant, zone));
  for (let days = 0, tries = 0; days <= DAYS_AHEAD && tries < MOST_TRIES; days++) {
    const instant = instantOf(`${addDays(today, days)}T${at.time}`, at.zone);
    if (!instant || !isFree(instant)) continue;
    tries++;
    const until = await findQuietEnd(groupIds, { instant, zone }, signal);
    const begin = until ?? instant;
    if (isFree(begin)) return toSlot(begin, zone);
  }
  return undefined;
}

function toSlot(instant: Date, zone: string): Slot {
  const local = localTime(instant, zone);
  return { date: local.slice(0, 10), time: local.slice(11) };
}

/** The days with a run to one of the groups. A run that was missed or cancelled brings no post. */
async function listTaken(
  groupIds: readonly number[],
  { first, last, zone }: { first: string; last: string; zone: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const body = { start_date: first, end_date: last, group_metadata_ids: [...groupIds], limit: PAGE, cursor };
    const found = await call('venom/list-runs', body, { signal });
    for (const run of found.runs)
      if (run.status !== 'missed' && run.status !== 'cancelled') taken.add(dateIn(run.due_at, zone));
    cursor = found.next_cursor;
  }
  return taken;
}

/** Returns when the quiet hours around an instant end, of the accounts that would send, as a check of such a post says. */
async function findQuietEnd(
  groupIds: readonly number[],
  { instant, zone }: { instant: Date; zone: string },
  signal: AbortSignal,
): Promise<Date | undefined> {
  const { date, time } = toSlot(instant, zone);
  const plan = { start_date: date, end_date: date, schedule_time: `${time}:00`, time_zone: zone };
  const post = { name: '-', html: '-', is_schedule: true as const, group_metadata_ids: [...groupIds], ...plan };
  const { warnings } = await call('venom/check-campaign', post, { signal });
  const ends = warnings.flatMap(({ code, params = {} }) => {
    if (code !== 'in_quiet_hours') return [];
    const [until, of] = [String(params['until']), String(params['zone'])];
    const end = [0, 1].map((days) => instantOf(`${addDays(String(params['date']), days)}T${until}`, of));
    return end.find((one) => one !== undefined && one > instant) ?? [];
  });
  return ends.toSorted((one, other) => Number(other) - Number(one))[0];
}
