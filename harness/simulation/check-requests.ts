/** Whether what users asked for beside posts was kept: halts, changes, rests, erasure and commands. Part of the checker. */
import { isOf, isTakenBack, only, type Case } from './case.ts';
import { mayApply } from './effects.ts';
import type { FinalDelivery } from './line.ts';
import { dayOf, quietSpans } from './wall-clock.ts';
import { sureWarmUps } from './warm-ups.ts';

/** From the answer to a pause or a cancel on, at most the turn in hand leaves until somebody asks for more. */
export function haltsHold(facts: Case): string[] {
  const { requests, sends, gapMs, deliveries } = facts;
  return requests.flatMap((halt) => {
    if (isTakenBack(facts, halt)) return [];
    const isErasure = halt.operation === 'erase';
    if (!['pause', 'cancel', 'recall', 'erase'].includes(halt.operation) || !halt.answer || halt.answer.error)
      return [];
    const { answer, text } = halt;
    // One that was under way at the same time may have taken effect after the halt.
    const again = requests.find(
      (one) =>
        ['resume', 'retry'].includes(one.operation) &&
        one.text === text &&
        mayApply(one) &&
        (one.answer?.atMs ?? Infinity) >= halt.atMs,
    );
    const toMs = again?.atMs ?? Infinity;
    const isMeant = (one: Case['sends'][number]) =>
      isErasure
        ? one.ownerId === halt.accountId
        : isOf(one.text, text) && (answer.runId === undefined || deliveries.get(one.messageId)?.runId === answer.runId);
    const late = sends.filter((one) => isMeant(one) && one.arrivedMs > answer.atMs && one.arrivedMs < toMs);
    const what = `left after it was to ${halt.operation}: ${late.length} of ${isErasure ? `account ${halt.accountId}` : text}`;
    // Each account of the workspace may have a turn in hand.
    const turns = [...Map.groupBy(late, (one) => one.accountId).values()];
    const isTurn = (own: typeof late) => {
      // A turn is one process's, holds a post to each group once, and with a gap one of them.
      const most = gapMs > 0 ? 1 : new Set(own.map((one) => `${one.chatId} ${one.text}`)).size;
      const isOneTurn = new Set(own.map((one) => one.process)).size <= 1;
      return own.length <= most && isOneTurn && own.every((one) => one.arrivedMs <= answer.atMs + TURN_MS);
    };
    return turns.every(isTurn) ? [] : [what];
  });
}

/** A turn in hand has gone by then: two dozen posts, the halts of a process that froze, and the longest of those that lease allows. */
const TURN_MS = 30_000;

/** What the ledger tells as recalled was; and of a campaign whose recall was accepted all that left is, or says why not. */
export function changesReachThem(facts: Case): string[] {
  const { lines, requests, final } = facts;
  const recalled = new Set(
    only(lines, 'change').flatMap((one) => (one.change === 'recall' && one.result === 'done' ? [one.messageId] : [])),
  );
  const asked = requests.flatMap((one) =>
    one.operation === 'recall' && one.answer?.campaign && !isTakenBack(facts, one) ? [one.answer] : [],
  );
  const isAsked = ({ campaign, runId }: FinalDelivery) =>
    asked.some((one) => one.campaign === campaign && (one.runId ?? runId) === runId);
  const corrected = new Map(
    only(lines, 'change').flatMap((one) =>
      one.change === 'correct' && one.result === 'done' ? [[one.messageId, one.text] as const] : [],
    ),
  );
  const texts = new Set(requests.flatMap((one) => (one.operation === 'correct' ? [one.text] : [])));
  return final.deliveries.flatMap((delivery) => {
    const { messageId, status, isRecalled, isCorrected, revisionError } = delivery;
    return [
      ...(isCorrected && !texts.has(corrected.get(messageId) ?? '')
        ? [`told as corrected, and was not: ${messageId}`]
        : []),
      ...(isRecalled && !recalled.has(messageId) ? [`told as recalled, and was not: ${messageId}`] : []),
      ...(isAsked(delivery) && status === 'sent' && !isRecalled && !revisionError
        ? [`not recalled: ${messageId}`]
        : []),
    ];
  });
}

export function commandsAreCarriedOutOnce({ lines, requests, taken }: Case): string[] {
  // A ledger that was put back does not know what was carried out since the copy.
  const isKnown = ({ atMs }: { atMs: number }) => !taken || atMs < taken.fromMs || atMs > taken.toMs;
  const created = Map.groupBy(only(lines, 'created').filter(isKnown), (one) => one.name);
  return requests.flatMap(({ operation, text, answer }) => {
    if (operation !== 'create group') return [];
    const times = created.get(text)?.length ?? 0;
    if (times > 1) return [`carried out twice: ${text}`];
    return answer?.campaign && times === 0 && !taken ? [`told as done, and was not: ${text}`] : [];
  });
}

/** Requests with one Idempotency-Key make one campaign, whichever processes get them. */
export function keysWorkOnce({ requests, final, taken }: Case): string[] {
  const keyed = Map.groupBy(
    requests.filter((one) => one.key !== undefined && !taken),
    (one) => `${one.accountId} ${one.key}`,
  );
  return [...keyed.values()].flatMap((own) => {
    const [first] = own;
    const answers = new Set(own.flatMap(({ answer }) => (answer?.campaign ? [answer.campaign] : [])));
    const made = final.campaigns.filter((one) => own.some(({ text }) => text === one.text));
    return answers.size > 1 || made.length > 1 ? [`made twice with one key: ${first?.text}`] : [];
  });
}

export function whatIsErasedIsGone(facts: Case): string[] {
  const { requests, final } = facts;
  return requests.flatMap((request) => {
    const { operation, accountId, answer } = request;
    if (operation !== 'erase' || !answer || answer.error || isTakenBack(facts, request)) return [];
    const left = final.campaigns.filter((one) => one.accountId === accountId);
    return left.length > 0 ? [`not erased: ${left.length} campaigns of account ${accountId}`] : [];
  });
}

/** During a warm-up no more posts leave on a day than it allows. */
export function warmUpsAreKept(facts: Case): string[] {
  return only(facts.lines, 'owner').flatMap(({ accountId, timeZone }) => {
    const accepted = facts.sends.filter((one) => one.accountId === accountId && one.verdict === 'accepted');
    return sureWarmUps(facts, { accountId, timeZone }).flatMap(({ span, capOf }) => {
      // The ledger does not know the posts that left before it was restored.
      const fromMs = Math.max(span.fromMs + TURN_MS, facts.taken?.toMs ?? 0);
      const own = accepted.filter(({ arrivedMs }) => arrivedMs > fromMs && arrivedMs < span.toMs);
      return [...Map.groupBy(own, (one) => dayOf(timeZone, one.arrivedMs))].flatMap(([dayMs, some]) => {
        const most = capOf(dayMs);
        return most !== null && some.length > most
          ? [`warmed up too fast: ${some.length} posts of account ${accountId} on one day, not ${most}`]
          : [];
      });
    });
  });
}

/** The rules of rest that were requested last, from their answer on; none, where it is unknown which were the last. */
export function sendWindowsAreRespected(facts: Case): string[] {
  const { requests, sends, taken, lines, final } = facts;
  return requests.flatMap((request) => {
    const { operation, accountId, answer, rest, atMs } = request;
    if (operation !== 'rest' || !rest || !answer || answer.error || isTakenBack(facts, request)) return [];
    const others = requests.filter(
      (one) => one.operation === 'rest' && one.accountId === accountId && one.rest !== rest,
    );
    if (others.some((one) => !one.answer || one.answer.error || one.answer.atMs >= atMs)) return [];
    const timeZone = only(lines, 'owner').find((one) => one.accountId === accountId)?.timeZone ?? 'UTC';
    const later = sends.filter((one) => one.accountId === accountId && one.arrivedMs > answer.atMs + TURN_MS);
    const { quietHours, dailyCap } = rest;
    const quiet = quietHours ? quietSpans(quietHours, timeZone, { fromMs: answer.atMs, toMs: final.atMs }) : [];
    // A turn that was in hand as they began may still leave.
    const disturbing = later.filter(({ arrivedMs }) =>
      quiet.some(({ fromMs, toMs }) => arrivedMs >= fromMs + TURN_MS && arrivedMs < toMs),
    );
    // The ledger does not know the posts that left before it was restored.
    const accepted = later.filter((one) => one.verdict === 'accepted' && one.arrivedMs > (taken?.toMs ?? 0));
    const days = [...Map.groupBy(accepted, (one) => dayOf(timeZone, one.arrivedMs))];
    return [
      ...disturbing.map((one) => `left in quiet hours: ${one.messageId}`),
      ...days.flatMap(([day, own]) =>
        dailyCap !== null && own.length > dailyCap
          ? [`more than a day's: ${own.length} of account ${accountId} on ${new Date(day).toISOString().slice(0, 10)}`]
          : [],
      ),
    ];
  });
}
