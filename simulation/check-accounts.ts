/** Whether each delivery was sent by one account, and by a stand-in where its account could not: part of the checker. */
import { isOf, only, type Case, type Of } from './case.ts';
import { effectOf, hasApplied, isErased, mayApply, requestsOf } from './effects.ts';
import type { OfCampaign } from './expectations.ts';
import { findStops } from './refusals.ts';
import type { FinalDelivery, FinalRun, Line } from './line.ts';
import type { Span } from './spans.ts';

const MINUTE_MS = 60_000;
/** An account that is back, and deliveries that were handed over, leave after this time at the latest, also if the first try failed. */
const NOTICED_MS = 30_000;
const HANDED_OVER_MS = 150_000;
/** Long enough for anything that the checker excuses to be over. */
const LONG_MS = 6 * 3_600_000;

type Owner = Of<'owner'>;
const accountsOf = (owner: Owner) => [owner.accountId, ...(owner.further ?? []).map(({ accountId }) => accountId)];

/** A message id belongs to one account, which alone sends and changes its post. */
export function messagesBelongToOneAccount({ sends, lines }: Case): string[] {
  const senders = new Map<string, number>();
  for (const { messageId, accountId } of sends) if (!senders.has(messageId)) senders.set(messageId, accountId);
  return [
    ...sends.flatMap(({ messageId, accountId }) =>
      senders.get(messageId) === accountId ? [] : [`of two accounts: ${messageId}, sent by ${accountId}, too`],
    ),
    ...only(lines, 'change').flatMap(({ messageId, accountId, change }) =>
      accountId === undefined || (senders.get(messageId) ?? accountId) === accountId
        ? []
        : [`of two accounts: ${messageId}, by ${accountId} to ${change}`],
    ),
  ];
}

/** Once an account has tried a delivery, no other does: each post belongs to a delivery of the ledger, under the id that it has in the end. */
export function triedDeliveriesStay({ sends, shared, deliveries, taken, requests, campaigns }: Case): string[] {
  if (taken) return [];
  const texts = [...campaigns.values()];
  return sends.flatMap(({ messageId, ledgerId, accountId, text, chatId }) => {
    if (!shared.has(ledgerId) || deliveries.has(messageId)) return [];
    const isKept = texts.some((one) => isOf(text, one.text) && !one.deleted && one.accountId === ledgerId);
    const isErasing = requests.some((one) => one.operation === 'erase' && one.accountId === ledgerId);
    return isKept && !isErasing ? [`tried, and handed over: ${text} in ${chatId}, by account ${accountId}`] : [];
  });
}

/** No campaign of one run reaches a group by two accounts, whatever ids they use. */
export function oneAccountSends({ sends, shared, requests, taken }: Case): string[] {
  if (taken) return [];
  return requests.flatMap(({ operation, text, accountId }) => {
    if (operation !== 'send' || !shared.has(accountId)) return [];
    const own = sends.filter((one) => one.ledgerId === accountId && isOf(one.text, text));
    return [...Map.groupBy(own, (one) => one.chatId)].flatMap(([chatId, some]) =>
      new Set(some.map((one) => one.accountId)).size > 1 ? [`tried by two accounts: ${text} in ${chatId}`] : [],
    );
  });
}

/** Returns the spans in which an account is down: from the messaging application's decision until its session must have noticed the end. */
export function findDown(lines: readonly Line[], accountId: number): Span[] {
  const own = only(lines, 'standing').filter((one) => one.accountId === accountId);
  return own.flatMap(({ standing, atMs }, index) => {
    if (standing === 'linked') return [];
    return [{ fromMs: atMs, toMs: (own[index + 1]?.atMs ?? Infinity) + NOTICED_MS }];
  });
}

/** Whether nothing but downtime keeps accounts of a workspace from its groups. */
const areMembers = ({ lines }: Case, owner: Owner) =>
  (owner.further ?? []).every(({ chats }) => chats.length === owner.chats.length) &&
  !only(lines, 'membership').some(({ accountId }) => accountsOf(owner).includes(accountId));

/** Returns when what waited for an account must have been handed over, for a run that began then; Infinity: perhaps never. */
function handOverEnd(
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
export function waitsForAccounts(facts: Case, { accountId: ledgerId, startedMs }: OfCampaign): Span[] {
  const owner = facts.shared.get(ledgerId);
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

/** Nothing expires that no account has tried, for all that is known, while a stand-in could send it. */
export function standInsSend(facts: Case): string[] {
  const { final, shared, taken, lines, sends } = facts;
  if (taken) return [];
  const tried = new Set(sends.map(({ messageId }) => messageId));
  return final.campaigns.flatMap((campaign) => {
    const owner = shared.get(campaign.accountId);
    if (!owner || campaign.deleted || !areMembers(facts, owner)) return [];
    const { text } = campaign;
    if (findStops(facts, text).length > 0 || requestsOf(facts, text, ['pause', 'update']).some(mayApply)) return [];
    if (facts.requests.some((one) => one.operation === 'rest' || one.operation === 'warm up')) return [];
    return campaign.runs.flatMap((run) => {
      const expired = final.deliveries.filter(
        (one) => one.runId === run.runId && isExpired(one) && !tried.has(one.messageId),
      );
      if (expired.length === 0 || !couldBeHandedOver(facts, owner, run)) return [];
      const isUp = (accountId: number) =>
        findDown(lines, accountId).every(
          (one) => one.fromMs > (run.finishedMs ?? Infinity) || one.toMs < (run.startedMs ?? 0),
        );
      const up = accountsOf(owner).find(isUp);
      return up === undefined
        ? []
        : expired.map(({ messageId }) => `lost: ${messageId} of ${text} expired, though account ${up} could send it`);
    });
  });
}

const isExpired = ({ status, error, uncertain }: FinalDelivery) =>
  status === 'failed' && !uncertain && error?.startsWith('expired') === true;

function couldBeHandedOver(facts: Case, owner: Owner, { startedMs, finishedMs }: FinalRun): boolean {
  if (startedMs === null || finishedMs === null || finishedMs - startedMs < LONG_MS) return false;
  const downs = accountsOf(owner).flatMap((accountId) =>
    findDown(facts.lines, accountId).map((one) => ({ accountId, ...one })),
  );
  return downs.every(
    (one) => one.fromMs > finishedMs || handOverEnd(facts, owner, one, startedMs) < finishedMs - LONG_MS / 2,
  );
}

/** Groups of a workspace with several accounts can be posted to if any account may, and are gone once none is a member. */
export function waysAddUp(facts: Case): string[] {
  const { final, shared } = facts;
  return [...shared.values()].flatMap((owner) => {
    if (isErased(facts, owner.accountId)) return [];
    return owner.groupIds.flatMap((groupId, index) => {
      const group = final.groups.find((one) => one.accountId === owner.accountId && one.chatId === owner.chats[index]);
      const present = (final.ways ?? []).filter((one) => one.groupId === groupId && !one.isGone);
      const isTrue =
        group?.isRemoved === (present.length === 0) && group.canSend === present.some(({ canSend }) => canSend);
      return isTrue ? [] : [`does not add up: the accounts of group ${groupId}`];
    });
  });
}
