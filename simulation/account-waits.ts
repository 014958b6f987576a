/** How long deliveries may wait for an account that cannot send: part of the checker. */
import { only, type Case, type Of } from './case.ts';
import { effectOf, hasApplied } from './effects.ts';
import type { Line } from './line.ts';
import type { Span } from './spans.ts';

const MINUTE_MS = 60_000;
/** An account that is back, and deliveries that were handed over, leave after this time at the latest, also if the first try failed. */
const NOTICED_MS = 30_000;
const HANDED_OVER_MS = 150_000;

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

/** Whether nothing but downtime keeps accounts of a workspace from its groups. */
export const areMembers = ({ lines }: Case, owner: Owner) =>
  (owner.further ?? []).every(({ chats }) => chats.length === owner.chats.length) &&
  !only(lines, 'membership').some(({ accountId }) => accountsOf(owner).includes(accountId));

/** Returns when what waited for an account must have been handed over, for a run that began then; Infinity: perhaps never. */
export function handOverEnd(
  facts: Case,
  owner: Owner,
  { accountId, fromMs }: { accountId: number; fromMs: number },
  startedMs: number,
): number {
  const { failoverMinutes } = owner;
  if (failoverMinutes != null) return Math.max(fromMs + failoverMinutes * MINUTE_MS, startedMs) + HANDED_OVER_MS;
  const request = facts.requests.find(
    (one) =>
      one.operation === 'hand over' &&
      one.ofAccount === accountId &&
      hasApplied(facts, one) &&
      one.atMs > Math.max(fromMs + NOTICED_MS, startedMs),
  );
  return request ? effectOf(facts, request).toMs + NOTICED_MS : Infinity;
}

/**
 * Returns the spans in which posts of a run may wait for an account that is down. They are shorter than the downtime where a stand-in that
 * is up, and a member of all groups, takes over.
 */
export function waitsForAccounts(
  facts: Case,
  { accountId: ownerId, startedMs }: { accountId: number; startedMs?: number | null },
): Span[] {
  const owner = facts.shared.get(ownerId);
  if (!owner) return [];
  const accounts = accountsOf(owner);
  const slept = only(facts.lines, 'slept');
  const downs = accounts.flatMap((accountId) =>
    findDown(facts.lines, accountId).map((span) => ({ accountId, ...span })),
  );
  return downs.map(({ accountId, fromMs, toMs }) => {
    const isAlone = downs.some((one) => one.accountId !== accountId && one.fromMs < toMs && one.toMs > fromMs);
    if (isAlone || !areMembers(facts, owner)) return { fromMs, toMs };
    const endMs = Math.min(toMs, handOverEnd(facts, owner, { accountId, fromMs }, startedMs ?? fromMs));
    // Nobody takes over while the machine sleeps.
    const asleep = slept.find((one) => one.atMs < endMs && one.atMs + one.forMs > endMs);
    return { fromMs, toMs: asleep ? asleep.atMs + asleep.forMs + HANDED_OVER_MS : endMs };
  });
}
