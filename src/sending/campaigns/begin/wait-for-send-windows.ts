import {
  dateIn,
  dayOf,
  nextQuietStart,
  nextTimeOfDay,
  quietUntil,
  type QuietHours,
} from '../../accounts/quiet-hours.ts';
import { capOn, isWarmingUp, type DailyLimits } from '../../accounts/warm-up.ts';

/** Quiet hours and daily limits of an account, and its posts of today. */
export interface SendLimits extends DailyLimits {
  quietHours: QuietHours | null;
  sentToday: number | null;
  /** IANA. */
  timeZone: string;
}

/** Posts that may leave from an instant on. */
export interface Waiting {
  from: Temporal.Instant;
  posts: number;
  /** How many of them are pinned afterwards: all or none. Default is 0. */
  pins?: number;
  /** When they were to leave: what a cap leaves over keeps that hour of day. Default is `from`. */
  dueAt?: Temporal.Instant;
}

interface Readiness {
  gapMs: number;
  /** On a day of the warm-up. Default is `gapMs`. */
  warmUpGapMs?: number;
  others?: readonly Waiting[];
  /** Pins, recalls and corrections that are to be carried out at `readyAt`. */
  changes?: number;
  readyAt?: Temporal.Instant;
}

/** Each is a night, or a day whose cap is used up. What takes longer than a year is not told more exactly. */
const MOST_STEPS = 800;

type Gaps = Pick<Readiness, 'gapMs' | 'warmUpGapMs'>;

/** How far an account has got. */
interface Lane {
  /** The next post leaves then, or when the rest is over that this is in. */
  at: Temporal.Instant;
  /** What was sent on the day that ends then. */
  day: { end: Temporal.Instant; posts: number };
}

/**
 * Returns when the last post leaves and is pinned, if the first may leave at `from`, at these gaps, and nothing leaves in quiet hours or
 * beyond the daily limit; what a limit leaves over goes on at the hour of day of its plan. The unsent posts of `others`, in order of time,
 * take turns with these, so each of them counts for at most
 * `posts`. Pins and other changes of sent posts take turns with posts, too (deliveries/watch-revisions.ts); they are in no daily limit.
 * Nothing leaves before `readyAt`, by default `now`; `sentToday` was counted at `now`.
 */
export function findLastPost(
  { from, posts, pins = 0, dueAt = from, others = [], changes = 0, readyAt, ...gaps }: Waiting & Readiness,
  rests: SendLimits,
  now: Temporal.Instant,
): Temporal.Instant {
  const day = { end: dayOf(rests.timeZone, now).end, posts: rests.sentToday ?? 0 };
  const lane: Lane = { at: readyAt ?? now, day };
  const untilDueMs = Math.max(0, from.epochMilliseconds - lane.at.epochMilliseconds);
  let turns = posts;
  let pinTurns = pins + Math.max(0, changes - Math.floor(untilDueMs / gaps.gapMs));
  for (const other of others) {
    lane.at = later(lane.at, other.from);
    const pinned = (other.pins ?? 0) > 0;
    const waiting = { posts: other.posts, dueAt: other.dueAt ?? other.from, until: from };
    const { left } = advanceLane(lane, { ...waiting, ...withPins(gaps, pinned ? 1 : 0) }, rests);
    turns += Math.min(posts, left);
    pinTurns += pinned ? Math.min(posts, left) : 0;
  }
  lane.at = later(lane.at, from);
  // Between two posts is one pin at most.
  const share = turns > 1 ? Math.min(pinTurns, turns - 1) / (turns - 1) : 0;
  const { last } = advanceLane(lane, { posts: turns, dueAt, until: undefined, ...withPins(gaps, share) }, rests);
  return pins > 0 ? last.add({ milliseconds: Math.round(gaps.gapMs) }) : last;
}

/** Returns the gaps between two posts with so many pins between them, on average. */
function withPins({ gapMs, warmUpGapMs = gapMs }: Gaps, share: number): Gaps {
  return { gapMs: gapMs * (1 + share), warmUpGapMs: warmUpGapMs * (1 + share) };
}

/**
 * Advances the lane until no post is left, or until `until`. Returns the posts that are left to take turns: what a limit leaves over gives
 * way to newer posts.
 */
function advanceLane(
  lane: Lane,
  {
    posts,
    dueAt,
    until,
    ...gaps
  }: { posts: number; dueAt: Temporal.Instant; until: Temporal.Instant | undefined } & Gaps,
  rests: SendLimits,
): { left: number; last: Temporal.Instant } {
  const { quietHours, timeZone } = rests;
  let left = posts;
  let last = lane.at;
  let isLeftOver = false;
  for (let step = 0; step < MOST_STEPS && left > 0; step++) {
    if (until && Temporal.Instant.compare(lane.at, until) >= 0) break;
    const quietEnd = quietHours && quietUntil(quietHours, timeZone, lane.at);
    if (quietEnd) {
      lane.at = quietEnd;
      continue;
    }
    const { end } = dayOf(timeZone, lane.at);
    if (!end.equals(lane.day.end)) lane.day = { end, posts: 0 };
    const date = dateIn(timeZone, lane.at);
    const cap = capOn(rests, date);
    const gapMs = (isWarmingUp(rests, date) ? gaps.warmUpGapMs : undefined) ?? gaps.gapMs;
    const room = cap === null ? Infinity : cap - lane.day.posts;
    if (room <= 0) {
      const hour = nextTimeOfDay((quietHours && quietUntil(quietHours, timeZone, dueAt)) ?? dueAt, timeZone, end);
      lane.at = until ? earlier(hour, until) : hour;
      isLeftOver = true;
      continue;
    }
    const quiet = quietHours && nextQuietStart(quietHours, timeZone, lane.at);
    const limits = [...(cap === null ? [] : [end]), ...(quiet ? [quiet] : []), ...(until ? [until] : [])];
    const untilMs = Math.min(...limits.map((limit) => limit.epochMilliseconds - lane.at.epochMilliseconds));
    const sent = Math.min(left, room, Math.ceil(untilMs / gapMs));
    left -= sent;
    lane.day.posts += sent;
    last = lane.at.add({ milliseconds: Math.round((sent - 1) * gapMs) });
    lane.at = lane.at.add({ milliseconds: Math.round(sent * gapMs) });
  }
  // Given up, or in the midst of a rest: nobody can say more exactly.
  return { left: isLeftOver ? 0 : left, last: left > 0 ? lane.at : last };
}

function earlier(one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.compare(one, other) < 0 ? one : other;
}

function later(one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.compare(one, other) < 0 ? other : one;
}
