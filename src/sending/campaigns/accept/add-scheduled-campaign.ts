import { readValue, type Database } from '../../../platform/database/statements.ts';
import { dateIn } from '../../accounts/quiet-hours.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { UserId } from '../../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import type { IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { invalid, type AppError, fieldError, type FieldError } from '../../../platform/errors/errors.ts';
import { describeTimeZone } from '../../../platform/time/suggest-time-zones.ts';
import { isTimeZone, knownTimeZone } from '../../../platform/time/time-zone.ts';
import {
  acceptCampaign,
  type AcceptDeps,
  type AcceptedCampaign,
  type CampaignRequest,
  type Start,
} from './accept-campaign.ts';
import { AHEAD_DAYS, planAhead, type PlannedPart, type Schedule } from '../occurrences.ts';
import { LONGEST_WAIT_YEARS, RecurrenceError, RUNS_A_DAY_LIMIT } from '../recurrence.ts';
import type { PostInput } from './prepare-post.ts';
import { readNow } from '../../../platform/database/read-now.ts';

/** Of one campaign that are planned together. */
const RUNS_LIMIT = 2_000;

export interface ScheduledInput extends PostInput, Omit<Schedule, 'timeZone'> {
  /** null: the user's zone, else the installation's. */
  timeZone: string | null;
}

/**
 * Accepts a campaign that goes out on each date of a range at a time of day (specification, add campaign batch). Throws 400 for a
 * schedule that makes no sense, among them one whose every occurrence is past, and otherwise as `acceptCampaign` does.
 */
export async function addScheduledCampaign(
  deps: AcceptDeps & { timeZone: string },
  actor: Actor,
  input: ScheduledInput,
  key?: IdempotencyKey,
): Promise<AcceptedCampaign> {
  return acceptCampaign(deps, { actor, input, ...(await planScheduled(deps, actor, input)), key }, startScheduled);
}

/** Returns the plan of a scheduled campaign, in the zone that it names, else that of the user. */
export async function planScheduled(
  deps: { db: Database; timeZone: string },
  actor: Actor,
  input: ScheduledInput,
): Promise<Pick<CampaignRequest, 'plan' | 'problems' | 'notes' | 'dueAt' | 'plannedUntil'>> {
  const timeZone = input.timeZone ?? (await readTimeZone(deps, actor.userId));
  const notes =
    input.timeZone === null && (await isFirstWithoutZone(deps.db, actor)) ? [describeAssumedZone(timeZone)] : [];
  const { startDate, endDate, weekdays, skipDates, time, recurrence } = input;
  const when = { startDate, endDate, timeZone, weekdays, skipDates, ...(recurrence && { recurrence }) };
  const plan = { isSchedule: true, scheduleTime: time, ...when };
  return { plan, notes, ...dueBySchedule({ ...when, time }, await readNow(deps.db)) };
}

export function dueBySchedule(
  schedule: Schedule,
  asOf: Date,
): Required<Pick<CampaignRequest, 'problems' | 'dueAt' | 'plannedUntil'>> {
  const { occurrences, plannedUntil, problems } = planOccurrences(schedule, asOf);
  return { problems, plannedUntil, dueAt: (now) => stillToCome(occurrences, now, schedule) };
}

export const startScheduled: Start = (trx) => notifyAfterCommit(trx, 'campanile_runs');

/** Whether the user has never chosen a zone, and this is the first schedule that needs one: then it is worth a warning, once. */
async function isFirstWithoutZone(db: Database, { userId, workspaceId }: Actor): Promise<boolean> {
  return (
    (await readValue<boolean>(db)`
    select time_zone is null and not exists (
             select from campaigns c where c.workspace_id = ${workspaceId} and c.is_schedule) as "isFirst"
    from users where user_id = ${userId}`) ?? false
  );
}

function describeAssumedZone(timeZone: string): string {
  return `schedule_time was read in ${timeZone}, since you have not chosen a time zone: send time_zone, or choose yours with update_profile`;
}

/** What is planned of a schedule at this time, or what is wrong with it. */
export function planOccurrences(schedule: Schedule, now: Date): PlannedPart & { problems: FieldError[] } {
  const problems: FieldError[] = [];
  const { startDate, endDate, recurrence } = schedule;
  if (!isTimeZone(schedule.timeZone))
    problems.push(fieldError('time_zone', 'time_zone', { expected: describeTimeZone(schedule.timeZone) }));
  if (endDate === null && !recurrence) problems.push(fieldError('end_date', 'required'));
  if (endDate !== null && endDate < startDate) problems.push(fieldError('end_date', 'end_before_start'));
  else if (endDate !== null && !recurrence && countDays(startDate, endDate) > AHEAD_DAYS)
    problems.push(fieldError('end_date', 'too_many_days', { limit: AHEAD_DAYS }));
  const nothing = { occurrences: [], plannedUntil: null };
  if (problems.length > 0) return { ...nothing, problems };
  try {
    const planned = planAhead(schedule, now);
    return { ...planned, problems: findOccurrenceProblems(schedule, planned, now) };
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return { ...nothing, problems: [fieldError('recurrence', error.issue, error.params)] };
  }
}

function findOccurrenceProblems(
  { recurrence, timeZone, endDate }: Schedule,
  { occurrences }: PlannedPart,
  now: Date,
): FieldError[] {
  if (occurrences.length === 0)
    return recurrence
      ? [fieldError('recurrence', 'recurrence_never', { years: LONGEST_WAIT_YEARS })]
      : [fieldError('start_date', 'no_day_left')];
  // West of Greenwich the last evening of the year 9999 is one of the year 10000, which ISO 8601 writes with other digits.
  if (occurrences.some((dueAt) => dueAt.getUTCFullYear() > 9_999))
    return [fieldError(endDate === null ? 'recurrence' : 'end_date', 'beyond_calendar')];
  const ahead = occurrences.filter((dueAt) => dueAt >= now);
  const perDay = Map.groupBy(ahead, (dueAt) => String(dateIn(timeZone, dueAt.toTemporalInstant())));
  if ([...perDay.values()].some(({ length }) => length > RUNS_A_DAY_LIMIT))
    return [fieldError('recurrence', 'recurrence_too_often', { part: 'RDATE', limit: RUNS_A_DAY_LIMIT })];
  if (ahead.length > RUNS_LIMIT)
    return [fieldError('recurrence', 'recurrence_too_many', { limit: RUNS_LIMIT, days: AHEAD_DAYS })];
  return [];
}

/** What is wrong with a schedule, also one that is over; of which time, and with it that, may not be known. */
export async function findScheduleProblems(
  deps: { db: Database; timeZone: string },
  userId: UserId,
  {
    time,
    ...schedule
  }: Omit<Schedule, 'time' | 'timeZone'> & { time: string | undefined; timeZone: string | undefined },
): Promise<FieldError[]> {
  const timeZone = schedule.timeZone ?? (await readTimeZone(deps, userId));
  const now = await readNow(deps.db);
  const known = { ...schedule, time: time ?? '00:00:00', timeZone };
  const { occurrences, problems } = planOccurrences(known, now);
  if (problems.length > 0 || time === undefined) return problems;
  return occurrences.some((dueAt) => dueAt >= now) ? [] : [...scheduleIsOver(occurrences, now, known).details];
}

function countDays(startDate: string, endDate: string): number {
  return Temporal.PlainDate.from(startDate).until(Temporal.PlainDate.from(endDate), { largestUnit: 'days' }).days + 1;
}

/** Those of a schedule that are not past, in the zone that it is for. Throws 400 where none is left. */
export function stillToCome(occurrences: Date[], now: Date, schedule: Schedule): Date[] {
  const left = occurrences.filter((dueAt) => dueAt >= now);
  if (left.length === 0) throw scheduleIsOver(occurrences, now, schedule);
  return left;
}

/** Says what of it is past, or leaves nothing: the time on the last of its days, which is today, the days, the rule, or what is left out. */
export function scheduleIsOver(occurrences: readonly Date[], now: Date, schedule: Schedule): AppError {
  const { recurrence, endDate, skipDates, weekdays, timeZone } = schedule;
  const last = occurrences.at(-1);
  const today = dateIn(timeZone, now.toTemporalInstant());
  const hasOwnTimes = /BYHOUR|BYMINUTE|RDATE/i.test(recurrence ?? '');
  if (last && !hasOwnTimes && dateIn(timeZone, last.toTemporalInstant()).equals(today))
    return invalid([fieldError('schedule_time', 'passed_today')]);
  const isPast = endDate !== null && endDate < today.toString();
  if (isPast || (!recurrence && skipDates.length === 0 && !weekdays))
    return invalid([fieldError('end_date', 'schedule_over')]);
  if (recurrence) return invalid([fieldError('recurrence', 'schedule_over')]);
  return invalid([fieldError(skipDates.length > 0 ? 'skip_dates' : 'weekdays', 'no_day_left')]);
}

/** Returns the zone that the user chose, else the installation's. */
export async function readTimeZone({ db, timeZone }: { db: Database; timeZone: string }, userId: UserId) {
  const own = await readValue<string | null>(db)`select time_zone from users where user_id = ${userId}`;
  return knownTimeZone(own ?? null, timeZone);
}
