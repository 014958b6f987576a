/** When posts may leave and must leave, computed from what was requested and what happened to the world. */
import { isOf, only, type Case } from './case.ts';
import { calmOf, findAllDown, waitsForAccounts } from './account-waits.ts';
import type { AskedSendWindow, Line } from './line.ts';
import { findHeld, freeTime } from './calm-time.ts';
import { possibleSpans } from './effects.ts';
import { possibleStops } from './refusals.ts';
import { possibleWarmUps } from './warm-ups.ts';
import { clipSpans, joinSpans, totalMs, type Span } from './spans.ts';
import { beginOf, dayOf, nextHourOf, quietSpans } from './wall-clock.ts';

const DAY_MS = 86_400_000;

export interface Expectations {
  /** Free time of a campaign's runs to begin in: calm, surely neither paused nor held, and with an account that may be up. */
  toBegin(campaign: OfCampaign, span: Span): number;
  /** Free time of its posts to leave in: the account may not rest either. */
  toSend(campaign: OfCampaign, span: Span): number;
}

export interface OfCampaign {
  accountId: number;
  text: string;
  /** When the run in question began; null: it has not. Any run unless given. */
  startedMs?: number | null;
  /** When the run in question was due. */
  dueMs?: number;
  /** Of the post in question. Any unless given. */
  chatId?: string;
}

/** Builds the expectations of a history. They hold for every outcome that a request without an answer may have had. */
export function computeExpectations(facts: Case): Expectations {
  const calm = calmOf(facts);
  const held = findHeld(facts.lines);
  const rests = new Map<number, Rests>();
  const pauses = new Map<string, Span[]>();
  const restOf = (accountId: number) => {
    const found = rests.get(accountId) ?? findRests(facts, accountId);
    rests.set(accountId, found);
    return found;
  };
  const pauseOf = (text: string) => {
    const found = pauses.get(text) ?? findPauses(facts, text);
    pauses.set(text, found);
    return found;
  };
  return {
    toBegin: ({ accountId, text }, span) =>
      totalMs(freeTime(calm, span, [...held, ...pauseOf(text), ...findAllDown(facts, accountId)])),
    toSend(campaign, span) {
      const { accountId, text } = campaign;
      const { quiet, usedUp } = restOf(accountId);
      const rest = [...quiet, ...usedUp, ...findHours(facts, campaign, { quiet, usedUp })];
      const blocked = [...held, ...pauseOf(text), ...rest, ...waitsForAccounts(facts, campaign)];
      return totalMs(freeTime(calm, span, blocked));
    },
  };
}

function findPauses(facts: Case, text: string): Span[] {
  const own = facts.requests.filter((one) => one.text === text);
  return [
    ...possibleStops(facts, text),
    ...possibleSpans(
      facts,
      own.filter(({ operation }) => operation === 'pause'),
      own.filter(({ operation }) => operation === 'resume'),
    ),
  ];
}

/** The spans in which an account may rest: in quiet hours, or since the posts of a day have reached a cap, or that of a warm-up. */
interface Rests {
  quiet: Span[];
  /** Until the end of the day. */
  usedUp: Span[];
}

const zoneOf = ({ lines }: Case, accountId: number) =>
  only(lines, 'owner').find((one) => one.accountId === accountId)?.timeZone ?? 'UTC';

/** Returns from the end of each day whose cap may be used up the time until the hour of the plan, or of the end of the quiet hours around it. */
function findHours(facts: Case, { accountId, text, dueMs }: OfCampaign, { quiet, usedUp }: Rests): Span[] {
  if (dueMs === undefined) return [];
  const zones = facts.requests.flatMap(({ schedule, ...one }) =>
    schedule && one.accountId === accountId && isOf(one.text, text) ? [schedule.timeZone] : [],
  );
  const likes = [dueMs, ...quiet.flatMap(({ fromMs, toMs }) => (fromMs <= dueMs && dueMs < toMs ? [toMs] : []))];
  return usedUp.flatMap(({ toMs: fromMs }) => {
    if (dueMs >= fromMs) return [];
    const hours = [zoneOf(facts, accountId), ...zones].flatMap((zone) =>
      likes.map((likeMs) => nextHourOf(zone, likeMs, fromMs)),
    );
    return [{ fromMs, toMs: Math.max(...hours) }];
  });
}

function findRests(facts: Case, accountId: number): Rests {
  const timeZone = zoneOf(facts, accountId);
  const own = facts.requests.filter((one) => one.operation === 'rest' && one.accountId === accountId);
  const endMs = facts.final.atMs;
  const of = { accountId, timeZone };
  const warmUps = possibleWarmUps(facts, of).flatMap(({ span, capOf }) =>
    clipSpans(joinSpans(usedUpSpans(facts, of, capOf)), span.fromMs, Math.min(span.toMs, endMs)),
  );
  const inForce = (spansOf: (rest: AskedSendWindow, span: Span) => Span[]) =>
    own.flatMap((request) => {
      const { rest } = request;
      if (!rest) return [];
      return possibleSpans(facts, [request], own).flatMap(({ fromMs, toMs }) => {
        const span = { fromMs, toMs: Math.min(toMs, endMs) };
        return clipSpans(joinSpans(spansOf(rest, span)), span.fromMs, span.toMs);
      });
    });
  return {
    quiet: joinSpans(inForce(({ quietHours }, span) => (quietHours ? quietSpans(quietHours, timeZone, span) : []))),
    usedUp: joinSpans([...warmUps, ...inForce(({ dailyCap }) => usedUpSpans(facts, of, () => dailyCap))]),
  };
}

/** Whether the cap of a day may have been used up in the span. Of what that leaves over, the posts of the newest run leave first. */
export const mayUseUp = (facts: Case, accountId: number, { fromMs, toMs }: Span): boolean =>
  clipSpans(findRests(facts, accountId).usedUp, fromMs, toMs).length > 0;

/** Returns the rest of each day from the instant at which the account may have used up the cap of that day. A receipt can date a post late. */
function usedUpSpans(
  facts: Case,
  { accountId, timeZone }: { accountId: number; timeZone: string },
  capOf: (dayMs: number) => number | null,
): Span[] {
  const own = new Set(facts.sends.filter((one) => one.accountId === accountId).map((one) => one.messageId));
  const touched = [
    ...facts.sends
      .filter((one) => one.accountId === accountId)
      .flatMap(({ messageId, atMs, verdict }) => {
        if (verdict === 'accepted') return [{ messageId, atMs }];
        // An attempt of unknown outcome counts each time.
        return verdict === 'copy' || verdict === 'vanished' ? [{ messageId: `${messageId} ${atMs}`, atMs }] : [];
      }),
    ...findInterrupted(facts),
    ...only(facts.lines, 'receipts').flatMap(({ atMs, receipts }) =>
      receipts.flatMap((one) =>
        one.what !== 'same' && own.has(one.messageId) ? [{ messageId: one.messageId, atMs }] : [],
      ),
    ),
  ];
  return [...Map.groupBy(touched, (one) => dayOf(timeZone, one.atMs))].flatMap(([dayMs, some]) => {
    const cap = capOf(dayMs);
    if (cap === null) return [];
    const seen = new Set<string>();
    const last = some
      .toSorted((one, other) => one.atMs - other.atMs)
      .find(({ messageId }) => seen.add(messageId).size >= cap);
    return last ? [{ fromMs: last.atMs, toMs: beginOf(timeZone, dayMs + DAY_MS) }] : [];
  });
}

/** More posts than any cap in these worlds allows. */
const MANY = 1_000;

const INTERRUPTIONS: ReadonlySet<Line['kind']> = new Set([
  'crashed',
  'froze',
  'left alone',
  'started',
  'ended',
  'put back',
]);

/**
 * Returns the posts that may have been in hand at a fault. They count as posts that may have left, also where nothing arrived, when the
 * fault happens or when another process takes them over. A turn of an account has one with a gap, and any number without.
 */
function findInterrupted({ lines, gapMs }: Case): Array<{ messageId: string; atMs: number }> {
  const lastFault = lines.findLastIndex(({ kind }) => kind === 'healed' || kind === 'left alone');
  const mayInterrupt = (line: Line, index: number) =>
    INTERRUPTIONS.has(line.kind) ||
    (line.kind === 'statement' && line.fault !== null) ||
    // Nothing is in hand when the world sleeps later.
    (line.kind === 'slept' && index < lastFault);
  return lines.flatMap((line, index) =>
    mayInterrupt(line, index)
      ? Array.from({ length: gapMs > 0 ? 1 : MANY }, (_, number) => ({
          messageId: `fault ${index} ${number}`,
          atMs: line.atMs + (line.kind === 'slept' ? line.forMs : 0),
        }))
      : [],
  );
}
