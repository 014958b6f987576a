/** Whether each delivery was sent by one account, and by a stand-in where its account could not: part of the checker. */
import { chatOf, isOf, only, type Case } from './case.ts';
import { accountsOf, findDowns, isSurelyOpen, mayRest, takeOverEnd, type Owner } from './account-waits.ts';
import { STALLED_MS } from './check-times.ts';
import { isErased, mayApply, requestsOf } from './effects.ts';
import { findStops } from './refusals.ts';
import type { FinalDelivery, FinalRun } from './line.ts';

/** Long enough for anything that the checker excuses to be over. */
const LONG_MS = 6 * 3_600_000;

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

/** A refused post did not leave: it is as if it had never been tried, for any account. */
const mayHaveLeft = ({ verdict }: Case['sends'][number]) => ['accepted', 'copy', 'vanished'].includes(verdict);

/** Once a post of an account may have left, no other sends it: each belongs to a delivery of the ledger, under the id that it has in the end. */
export function triedDeliveriesStay(facts: Case): string[] {
  const { sends, shared, deliveries, taken, requests, campaigns } = facts;
  if (taken) return [];
  const texts = [...campaigns.values()];
  return sends.flatMap((send) => {
    const { messageId, ownerId, accountId, text, chatId } = send;
    if (!shared.has(ownerId) || deliveries.has(messageId) || !mayHaveLeft(send)) return [];
    const isKept = texts.some((one) => isOf(text, one.text) && !one.deleted && one.accountId === ownerId);
    const isErasing = requests.some((one) => one.operation === 'erase' && one.accountId === ownerId);
    return isKept && !isErasing ? [`tried, and handed over: ${text} in ${chatId}, by account ${accountId}`] : [];
  });
}

/** No campaign of one run reaches a group by two accounts, whatever ids they use. */
export function oneAccountSends(facts: Case): string[] {
  const { sends, shared, requests, taken } = facts;
  if (taken) return [];
  return requests.flatMap(({ operation, text, accountId }) => {
    if (operation !== 'send' || !shared.has(accountId)) return [];
    const own = sends.filter((one) => one.ownerId === accountId && isOf(one.text, text) && mayHaveLeft(one));
    return [...Map.groupBy(own, (one) => one.chatId)].flatMap(([chatId, some]) =>
      new Set(some.map((one) => one.accountId)).size > 1 ? [`tried by two accounts: ${text} in ${chatId}`] : [],
    );
  });
}

/** What some account surely may post, and nobody holds, leaves within its time: nothing expires that no account has tried. */
export function standInsSend(facts: Case): string[] {
  const { final, shared, taken, sends } = facts;
  if (taken) return [];
  const tried = new Set(sends.map(({ messageId }) => messageId));
  return final.campaigns.flatMap((campaign) => {
    const owner = shared.get(campaign.accountId);
    if (!owner || campaign.deleted) return [];
    const { text } = campaign;
    if (findStops(facts, text).length > 0 || requestsOf(facts, text, ['pause', 'update']).some(mayApply)) return [];
    return campaign.runs.flatMap((run) =>
      final.deliveries.flatMap((one) => {
        if (one.runId !== run.runId || !isExpired(one) || tried.has(one.messageId)) return [];
        if (mayRest(facts, owner, run.finishedMs ?? Infinity)) return [];
        const up = findAble(facts, owner, run, chatOf(facts, one.groupId) ?? '');
        return up === undefined
          ? []
          : [`lost: ${one.messageId} of ${text} expired, though account ${up} could send it`];
      }),
    );
  });
}

const isExpired = ({ status, error, uncertain }: FinalDelivery) =>
  status === 'failed' && !uncertain && error?.startsWith('expired') === true;

/** Returns an account that could surely post to a chat from the beginning of a run to its end, and had to take over from all others in time. */
function findAble(facts: Case, owner: Owner, run: FinalRun, chatId: string): number | undefined {
  const { startedMs, finishedMs } = run;
  if (startedMs === null || finishedMs === null || lastChance(facts, run) - startedMs < LONG_MS) return undefined;
  const downs = findDowns(facts, owner).filter(({ down }) => down.fromMs < finishedMs && down.toMs > startedMs);
  return accountsOf(owner).find(
    (able) =>
      isSurelyOpen(facts, owner, { accountId: able, chatId }, finishedMs) &&
      downs.every(({ accountId, down }) => {
        const outage = { accountId, down, chatId, startedMs };
        return accountId !== able && takeOverEnd(facts, owner, outage, able) < finishedMs - LONG_MS / 2;
      }),
  );
}

/**
 * Until when posts of a run could leave: nothing of it leaves after a day without progress, whether or not the machine slept then. A post
 * that arrived before the machine slept may be recorded after it woke.
 */
function lastChance(facts: Case, run: FinalRun): number {
  const arrivals = facts.sends.flatMap(({ messageId, arrivedMs }) =>
    facts.deliveries.get(messageId)?.runId === run.runId ? [arrivedMs] : [],
  );
  const progressMs = Math.max(run.startedMs ?? Infinity, ...arrivals);
  const endMs = Math.min(run.finishedMs ?? -Infinity, progressMs + STALLED_MS);
  const sleep = only(facts.lines, 'slept').find(({ atMs, forMs }) => atMs < endMs && endMs <= atMs + forMs);
  return sleep?.atMs ?? endMs;
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
