/** How many posts a warm-up allows on a day: part of the checker. */
import type { Case } from './case.ts';
import { effectOf, hasApplied, mayApply, possibleSpans } from './effects.ts';
import type { Span } from './spans.ts';
import { dayOf } from './wall-clock.ts';

const DAY_MS = 86_400_000;
/** docs/explanation/whatsapp.md, "Warm-up". */
const POSTS = [30, 40, 50, 65, 85, 110, 140, 180, 230, 300, 390, 500, 650, 850];

/** Returns the most posts of a day, in milliseconds of its midnight in UTC, after a warm-up began on another; null: any number. */
const capOf = (beganMs: number) => (dayMs: number) => POSTS[Math.max(0, (dayMs - beganMs) / DAY_MS)] ?? null;

export interface WarmUp {
  /** Where it is in force. */
  span: Span;
  capOf: (dayMs: number) => number | null;
}

const warmUpsOf = (facts: Case, accountId: number) =>
  facts.requests.filter((one) => one.operation === 'warm up' && one.accountId === accountId);

/** Returns the warm-ups that an account may have had, with the least posts that each may have allowed. */
export function possibleWarmUps(
  facts: Case,
  { accountId, timeZone }: { accountId: number; timeZone: string },
): WarmUp[] {
  const own = warmUpsOf(facts, accountId);
  const ends = own.filter(({ warmUp }) => warmUp === false);
  return own.flatMap((request) => {
    if (request.warmUp !== true) return [];
    const latestMs = Math.min(effectOf(facts, request).toMs, facts.final.atMs);
    return possibleSpans(facts, [request], ends).map((span) => ({ span, capOf: capOf(dayOf(timeZone, latestMs)) }));
  });
}

/** Returns the warm-ups that an account surely had, with the most posts that each may have allowed. */
export function sureWarmUps(facts: Case, { accountId, timeZone }: { accountId: number; timeZone: string }): WarmUp[] {
  const own = warmUpsOf(facts, accountId).filter(mayApply);
  return own.flatMap((request) => {
    const { answer } = request;
    if (request.warmUp !== true || !answer || !hasApplied(facts, request)) return [];
    const ends = own.filter((one) => one.warmUp === false && effectOf(facts, one).toMs >= request.atMs);
    // One that was under way before goes on.
    const earliestMs = Math.min(...own.flatMap(({ warmUp, atMs }) => (warmUp ? [atMs] : [])));
    const toMs = Math.min(facts.final.atMs, ...ends.map(({ atMs }) => atMs));
    return [{ span: { fromMs: answer.atMs, toMs }, capOf: capOf(dayOf(timeZone, earliestMs)) }];
  });
}
