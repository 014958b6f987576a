/** Refusals for good that pause a campaign until somebody resumes it (contract §5, retries). */
import { isOf, only, type Case, type Of } from './case.ts';
import { hasApplied, mayApply } from './effects.ts';
import type { Span } from './spans.ts';

const IN_A_ROW = 3;
/** A result is in the ledger by then. */
const RECORDED_MS = 30_000;

const isRefusal = ({ verdict }: Of<'send'>) => verdict === 'refused for good' || verdict === 'not a member';

/** Returns the refusals of a campaign that may have paused it: each from the third on, since no outcome in between may count. */
export function findStops({ sends }: Case, text: string): Case['sends'] {
  return sends.filter((one) => isOf(one.text, text) && isRefusal(one)).slice(IN_A_ROW - 1);
}

/** Returns the spans in which the service may have paused a campaign. */
export function possibleStops(facts: Case, text: string): Span[] {
  const resumes = facts.requests.filter((one) => one.operation === 'resume' && one.text === text);
  return findStops(facts, text).map((stop) => {
    const end = resumes.find((one) => hasApplied(facts, one) && one.atMs >= stop.answeredMs + RECORDED_MS);
    return { fromMs: stop.arrivedMs, toMs: end?.answer?.atMs ?? Infinity };
  });
}

/**
 * A campaign whose posts are refused goes on to no further group before somebody asks for more. One more than three is in doubt: its
 * process may have ended before it recorded the result. A receipt may prove that a post was sent, which ends the row.
 */
export function refusalsPauseTheCampaign(facts: Case): string[] {
  const { gapMs, taken, final, sends, requests, lines, shared } = facts;
  // A turn without a gap holds many posts, and a ledger that was put back knows less.
  if (gapMs === 0 || taken) return [];
  const receiptsMs = only(lines, 'receipts').map(({ atMs }) => atMs);
  return final.campaigns.flatMap(({ text, accountId }) => {
    const againMs = requests
      .filter((one) => one.text === text && ['resume', 'retry'].includes(one.operation) && mayApply(one))
      .flatMap(({ atMs, answer }) => [atMs, answer?.atMs ?? Infinity]);
    const isReset = (fromMs: number, toMs: number) =>
      [...againMs, ...receiptsMs].some((atMs) => atMs >= fromMs && atMs <= toMs) || againMs.includes(Infinity);
    const row = new Map<string, number>();
    return sends.flatMap((one) => {
      if (one.ownerId !== accountId || !isOf(one.text, text)) return [];
      const lastMs = [...row.values()].at(-1) ?? Infinity;
      if (!isRefusal(one) || isReset(lastMs, one.arrivedMs)) row.clear();
      if (!isRefusal(one)) return [];
      row.set(one.messageId, one.arrivedMs);
      // Each account of the workspace may have a turn in hand.
      return row.size > IN_A_ROW + 1 + (shared.get(accountId)?.further?.length ?? 0)
        ? [`not paused: ${text}, though ${row.size} groups in a row refuse it`]
        : [];
    });
  });
}
