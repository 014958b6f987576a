/** How long deliveries may wait for accounts that cannot send: part of the checker. */
import { findCalm } from './calm-time.ts';
import { only, type Case, type Of } from './case.ts';
import { effectOf, hasApplied, mayApply } from './effects.ts';
import type { Line } from './line.ts';
import { clipSpans, joinSpans, subtractSpans, totalMs, type Span } from './spans.ts';

const MINUTE_MS = 60_000;
/** An account that is back, and deliveries that were handed over, leave after this time at the latest, also if the first try failed. */
const NOTICED_MS = 30_000;
/** Calm time within which a stand-in that is up takes over, also if the first try failed. */
const HANDED_OVER_MS = 120_000;

export type Owner = Of<'owner'>;
export const accountsOf = (owner: Owner) => [
  owner.accountId,
  ...(owner.further ?? []).map(({ accountId }) => accountId),
];

/** Returns the spans in which an account is down: from the messaging application's decision until its session must have noticed the end. */
export function findDown(lines: readonly Line[], accountId: number): Span[] {
  const own = only(lines, 'standing').filter((one) => one.accountId === accountId);
  return own.flatMap(({ standing, atMs }, index) => {
    if (standing === 'linked') return [];
    return [{ fromMs: atMs, toMs: (own[index + 1]?.atMs ?? Infinity) + NOTICED_MS }];
  });
}

/** Returns the spans in which no account of a workspace is surely up. */
export function findAllDown({ lines, shared }: Case, ownerId: number): Span[] {
  const owner = shared.get(ownerId);
  if (!owner) return [];
  const downs = accountsOf(owner).map((accountId) => joinSpans(findDown(lines, accountId)));
  return downs.reduce((both, other) => subtractSpans(both, subtractSpans(both, other)));
}

/** An account and a chat to which it may post. */
export interface Way {
  accountId: number;
  chatId: string;
}

const belongsFirst = (owner: Owner, { accountId, chatId }: Way) =>
  accountId === owner.accountId
    ? owner.chats.includes(chatId)
    : owner.further?.some((one) => one.accountId === accountId && one.chats.includes(chatId)) === true;

const hasChanged = ({ lines }: Case, { accountId, chatId }: Way, untilMs: number) =>
  only(lines, 'membership').some((one) => one.accountId === accountId && one.chatId === chatId && one.atMs <= untilMs);

/** Whether an account may post to a chat from the beginning until then, and the ledger has heard nothing else. */
export const isSurelyOpen = (facts: Case, owner: Owner, way: Way, untilMs: number) =>
  belongsFirst(owner, way) &&
  !hasChanged(facts, way, untilMs) &&
  !facts.sends.some(
    (one) =>
      one.accountId === way.accountId &&
      one.chatId === way.chatId &&
      one.arrivedMs <= untilMs &&
      (one.verdict === 'refused for good' || one.verdict === 'not a member'),
  );

/** Whether an account does not belong to a chat from the beginning until then. */
export const isSurelyClosed = (facts: Case, owner: Owner, way: Way, untilMs: number) =>
  !belongsFirst(owner, way) && !hasChanged(facts, way, untilMs);

/** Whether an account of the workspace may rest until then, by its hours, its cap or as a new number. */
export const mayRest = ({ requests }: Case, { accountId }: Owner, untilMs: number) =>
  requests.some(
    (one) => ['rest', 'warm up'].includes(one.operation) && one.accountId === accountId && one.atMs <= untilMs,
  );

const calms = new WeakMap<Case, Span[]>();
export const calmOf = (facts: Case): Span[] => {
  const calm = calms.get(facts) ?? findCalm(facts.lines);
  calms.set(facts, calm);
  return calm;
};

/** Returns the instant by which so much of the spans has passed since then; Infinity if there is less. */
function afterFree(spans: readonly Span[], fromMs: number, forMs: number): number {
  let leftMs = forMs;
  for (const span of clipSpans(spans, fromMs, Infinity)) {
    if (span.fromMs + leftMs <= span.toMs) return span.fromMs + leftMs;
    leftMs -= span.toMs - span.fromMs;
  }
  return Infinity;
}

/** Returns after how many minutes stand-ins take over, and since when that is so; undefined: nobody knows, or they do not. */
function findFailover(facts: Case, owner: Owner): { minutes: number; sinceMs: number } | undefined {
  const sets = facts.requests.filter(
    (one) => one.operation === 'set failover' && one.accountId === owner.accountId && mayApply(one),
  );
  const last = sets.at(-1);
  const isSure =
    !last || (hasApplied(facts, last) && sets.every((one) => one === last || effectOf(facts, one).toMs < last.atMs));
  const minutes = last ? last.failoverMinutes : owner.failoverMinutes;
  if (!isSure || minutes == null) return undefined;
  return { minutes, sinceMs: last ? effectOf(facts, last).toMs : -Infinity };
}

/** An account that is down, while a run has posts to a chat. */
export interface Outage {
  accountId: number;
  down: Span;
  chatId: string;
  startedMs: number;
}

/** Returns by when this account has taken over what the other has not sent to the chat; Infinity: perhaps never. */
export function takeOverEnd(
  facts: Case,
  owner: Owner,
  { accountId, down, chatId, startedMs }: Outage,
  standIn: number,
): number {
  const up = subtractSpans(calmOf(facts), joinSpans(findDown(facts.lines, standIn)));
  const failover = findFailover(facts, owner);
  const overdueMs = failover && Math.max(down.fromMs + failover.minutes * MINUTE_MS, startedMs, failover.sinceMs);
  const isUpAll = ({ fromMs, toMs }: Span) => totalMs(clipSpans(up, fromMs, toMs)) >= toMs - fromMs;
  const handedOver = facts.requests.filter(
    (one) =>
      one.operation === 'hand over' &&
      one.ofAccount === accountId &&
      (one.toAccount ?? standIn) === standIn &&
      one.atMs > Math.max(down.fromMs + NOTICED_MS, startedMs) &&
      hasApplied(facts, one) &&
      isUpAll(effectOf(facts, one)),
  );
  const endMs = Math.min(
    overdueMs === undefined ? Infinity : afterFree(up, overdueMs, HANDED_OVER_MS),
    ...handedOver.map((one) => afterFree(up, effectOf(facts, one).toMs, NOTICED_MS)),
  );
  return isSurelyOpen(facts, owner, { accountId: standIn, chatId }, endMs) ? endMs : Infinity;
}

/** Returns the downtimes of all accounts of a workspace. */
export const findDowns = ({ lines }: Case, owner: Owner) =>
  accountsOf(owner).flatMap((accountId) => findDown(lines, accountId).map((down) => ({ accountId, down })));

/**
 * Returns the spans in which a post of a run to a chat may wait for an account that is down. They are shorter than the downtime where
 * another account surely may post there, and takes over.
 */
export function waitsForAccounts(
  facts: Case,
  { accountId: ownerId, startedMs, chatId }: { accountId: number; startedMs?: number | null; chatId?: string },
): Span[] {
  const owner = facts.shared.get(ownerId);
  if (!owner) return [];
  return findDowns(facts, owner).map(({ accountId, down }) => {
    if (chatId === undefined) return down;
    const outage = { accountId, down, chatId, startedMs: startedMs ?? down.fromMs };
    const others = accountsOf(owner).filter((one) => one !== accountId);
    const endMs = Math.min(down.toMs, ...others.map((standIn) => takeOverEnd(facts, owner, outage, standIn)));
    return { fromMs: down.fromMs, toMs: endMs };
  });
}
