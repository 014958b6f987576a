import { sql } from 'kysely';
import { findAccountOfUser, lockLane } from '../accounts/store.ts';
import type { Database } from '../database/connect.ts';
import { invalid, type Problem } from '../lib/errors.ts';
import { actOnce, findResult, type IdempotencyKey } from '../idempotency/once.ts';
import { saveMedia } from '../media/store.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import { listOccurrences, type Schedule } from './occurrences.ts';
import { preparePost, type PostInput } from './prepare-post.ts';
import { requireGroups } from './require-groups.ts';
import { insertCampaign, readNow } from './store.ts';

/** A schedule covers at most so many days, both ends counted (contract §3). */
export const DAYS_LIMIT = 366;

export interface ScheduledInput extends PostInput, Omit<Schedule, 'timeZone'> {
  /** null: the user's zone, else the installation's. */
  timeZone: string | null;
}

/**
 * Accepts a campaign that goes out on each date of a range at a time of day (specification, add campaign batch). Resolves to its
 * id once campaign and planned runs are durable. Throws 400 for a post or a schedule that makes no sense, among them one whose
 * every occurrence is past, and 404 for groups that are not the user's. With `key` a repeated request is answered as the first one
 * was.
 */
export async function addScheduledCampaign(
  { db, timeZone: defaultZone }: { db: Database; timeZone: string },
  userId: number,
  input: ScheduledInput,
  key?: IdempotencyKey,
): Promise<{ campaignId: string }> {
  const first = await findResult<{ campaignId: string }>(db, key);
  if (first) return first;
  const account = await findAccountOfUser(db, userId);
  const timeZone = input.timeZone ?? (await readTimeZone(db, userId)) ?? defaultZone;
  const { occurrences, problems } = planOccurrences({ ...input, timeZone });
  const post = await preparePost(input, problems);
  await requireGroups(db, account.accountId, input.groupIds);
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      const mediaId = post.media && (await saveMedia(trx, userId, post.media));
      await lockLane(trx, account.accountId);
      const stored = await insertCampaign(trx, {
        accountId: account.accountId,
        name: input.name,
        description: input.description,
        isChannelCampaign: input.isChannelCampaign,
        isSchedule: true,
        scheduleTime: input.time,
        startDate: input.startDate,
        endDate: input.endDate,
        timeZone,
        weekdays: input.weekdays === null ? null : [...input.weekdays],
        skipDates: [...input.skipDates],
        html: input.html,
        text: post.text,
        mediaId,
        groupIds: post.groupIds,
        dueAt: stillToCome(occurrences, await readNow(trx)),
      });
      await sql`select pg_notify('campanile_runs', '')`.execute(trx);
      return { campaignId: stored.publicId };
    }),
  );
}

/** When it is to go out, or what is wrong with the schedule. */
function planOccurrences(schedule: Schedule): { occurrences: Date[]; problems: Problem[] } {
  const problems: Problem[] = [];
  if (!isTimeZone(schedule.timeZone))
    problems.push({ field: 'time_zone', issue: 'must be an IANA time zone such as Europe/Berlin' });
  if (schedule.endDate < schedule.startDate) problems.push({ field: 'end_date', issue: 'is before start_date' });
  else if (countDays(schedule) > DAYS_LIMIT)
    problems.push({ field: 'end_date', issue: `must be at most ${DAYS_LIMIT} days after start_date, both counted` });
  if (problems.length > 0) return { occurrences: [], problems };
  const occurrences = listOccurrences(schedule).map((instant) => new Date(instant.epochMilliseconds));
  if (occurrences.length === 0)
    problems.push({ field: 'start_date', issue: 'leaves no day to send on, with these weekdays and skip_dates' });
  return { occurrences, problems };
}

function countDays({ startDate, endDate }: Schedule): number {
  return Temporal.PlainDate.from(startDate).until(Temporal.PlainDate.from(endDate), { largestUnit: 'days' }).days + 1;
}

function stillToCome(occurrences: Date[], now: Date): Date[] {
  const left = occurrences.filter((dueAt) => dueAt >= now);
  if (left.length === 0)
    throw invalid([{ field: 'end_date', issue: 'is in the past: every occurrence of this schedule is over' }]);
  return left;
}

async function readTimeZone(db: Database, userId: number): Promise<string | null> {
  const row = await db.selectFrom('users').select('time_zone').where('user_id', '=', userId).executeTakeFirst();
  return row?.time_zone ?? null;
}
