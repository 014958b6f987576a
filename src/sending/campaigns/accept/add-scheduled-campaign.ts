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
import { listOccurrences, type Schedule } from '../occurrences.ts';
import type { PostInput } from './prepare-post.ts';
import { readNow } from '../../../platform/database/read-now.ts';

/** A schedule covers at most so many days, both ends counted (contract §3). */
const DAYS_LIMIT = 366;

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
): Promise<Pick<CampaignRequest, 'plan' | 'problems' | 'notes' | 'dueAt'>> {
  const timeZone = input.timeZone ?? (await readTimeZone(deps, actor.userId));
  const notes =
    input.timeZone === null && (await isFirstWithoutZone(deps.db, actor)) ? [describeAssumedZone(timeZone)] : [];
  const { startDate, endDate, weekdays, skipDates, time } = input;
  const plan = { isSchedule: true, scheduleTime: time, startDate, endDate, timeZone, weekdays, skipDates };
  return { plan, notes, ...dueBySchedule({ ...input, timeZone }) };
}

export function dueBySchedule(schedule: Schedule): Required<Pick<CampaignRequest, 'problems' | 'dueAt'>> {
  const { occurrences, problems } = planOccurrences(schedule);
  return { problems, dueAt: (now) => stillToCome(occurrences, now, schedule.timeZone) };
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

/** When it is to go out, or what is wrong with the schedule. */
export function planOccurrences(schedule: Schedule): { occurrences: Date[]; problems: FieldError[] } {
  const problems: FieldError[] = [];
  if (!isTimeZone(schedule.timeZone))
    problems.push(fieldError('time_zone', 'time_zone', { expected: describeTimeZone(schedule.timeZone) }));
  if (schedule.endDate < schedule.startDate) problems.push(fieldError('end_date', 'end_before_start'));
  else if (countDays(schedule) > DAYS_LIMIT)
    problems.push(fieldError('end_date', 'too_many_days', { limit: DAYS_LIMIT }));
  if (problems.length > 0) return { occurrences: [], problems };
  const occurrences = listOccurrences(schedule).map((instant) => new Date(instant.epochMilliseconds));
  if (occurrences.length === 0) problems.push(fieldError('start_date', 'no_day_left'));
  // West of Greenwich the last evening of the year 9999 is one of the year 10000, which ISO 8601 writes with other digits.
  if (occurrences.some((dueAt) => dueAt.getUTCFullYear() > 9_999))
    problems.push(fieldError('end_date', 'beyond_calendar'));
  return { occurrences, problems };
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
  const zone = schedule.timeZone ?? (await readTimeZone(deps, userId));
  const { occurrences, problems } = planOccurrences({ ...schedule, time: time ?? '00:00:00', timeZone: zone });
  if (problems.length > 0 || time === undefined) return problems;
  const now = await readNow(deps.db);
  return occurrences.some((dueAt) => dueAt >= now) ? [] : [...scheduleIsOver(occurrences, now, zone).details];
}

function countDays({ startDate, endDate }: Schedule): number {
  return Temporal.PlainDate.from(startDate).until(Temporal.PlainDate.from(endDate), { largestUnit: 'days' }).days + 1;
}

/** Those of a schedule that are not past, in the zone that it is for. Throws 400 where none is left. */
export function stillToCome(occurrences: Date[], now: Date, timeZone: string): Date[] {
  const left = occurrences.filter((dueAt) => dueAt >= now);
  if (left.length === 0) throw scheduleIsOver(occurrences, now, timeZone);
  return left;
}

/** Says what of it is past: the days, or only the time on the last of them, which is today. */
export function scheduleIsOver(occurrences: readonly Date[], now: Date, timeZone: string): AppError {
  const last = occurrences.at(-1);
  const dateOf = (at: Date) => dateIn(timeZone, at.toTemporalInstant());
  const isToday = last !== undefined && dateOf(last).equals(dateOf(now));
  const problem = isToday ? fieldError('schedule_time', 'passed_today') : fieldError('end_date', 'schedule_over');
  return invalid([problem]);
}

/** Returns the zone that the user chose, else the installation's. */
export async function readTimeZone({ db, timeZone }: { db: Database; timeZone: string }, userId: UserId) {
  const own = await readValue<string | null>(db)`select time_zone from users where user_id = ${userId}`;
  return knownTimeZone(own ?? null, timeZone);
}
