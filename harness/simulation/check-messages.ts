/** Whether webhooks were told each event, in order, and nothing else: part of the checker. */
import { only, type Case, type Of } from './case.ts';
import { isErased, mayApply, requestsOf } from './effects.ts';
import type { EventItem, FinalDelivery, RecordedEvent } from './line.ts';

type Message = Of<'message'>;

/** The endpoint has it, whatever its sender has heard. */
const hasArrived = ({ verdict }: Message) => verdict === 'accepted' || verdict === 'answer lost';

/** Returns the accounts with a webhook that is owed every event. */
function findTold(facts: Case): number[] {
  const { disabledWebhooks } = facts.final;
  return only(facts.lines, 'owner').flatMap(({ accountId, hasWebhook }) =>
    hasWebhook && !disabledWebhooks.includes(accountId) && !isErased(facts, accountId) ? [accountId] : [],
  );
}

/** Returns the messages that each webhook has got, without repeats, in the order in which they first arrived. */
export function findArrived(facts: Case): Map<number, RecordedEvent[]> {
  const seen = new Set<string>();
  const first = only(facts.lines, 'message').filter(
    (one) => hasArrived(one) && !seen.has(one.id) && seen.add(one.id).size > 0,
  );
  const byAccount = Map.groupBy(first, (one) => one.accountId);
  return new Map(findTold(facts).map((accountId) => [accountId, byAccount.get(accountId) ?? []]));
}

const contentOf = ({ type, campaign, runId, items }: RecordedEvent) => JSON.stringify([type, campaign, runId, items]);

/** Each event is told, none that was not recorded, and each attempt to tell it says the same. */
export function messagesAreTheEvents(facts: Case): string[] {
  const attempts = [...Map.groupBy(only(facts.lines, 'message'), (one) => one.id)];
  const changed = attempts
    .filter(([, own]) => new Set(own.map(contentOf)).size > 1)
    .map(([id]) => `told with a difference: message ${id}`);
  const [recorded] = only(facts.lines, 'events');
  // With a ledger that was put back its events are lost, and what was told of them is not.
  if (!recorded || facts.taken) return changed;
  const events = new Map(recorded.events.map((one) => [one.id, one]));
  return [...findArrived(facts)].flatMap(([accountId, told]) => {
    const ids = new Set(told.map(({ id }) => id));
    const isFalse = (one: RecordedEvent) => {
      const event = events.get(one.id);
      return event?.accountId !== accountId || contentOf(event) !== contentOf(one);
    };
    const missing = recorded.events.filter((one) => one.accountId === accountId && !ids.has(one.id));
    return [
      ...changed,
      ...missing.map(({ type, campaign }) => `not told: ${type} of ${campaign ?? `account ${accountId}`}`),
      ...told.filter(isFalse).map(({ type, id }) => `told, and did not happen: ${type}, message ${id}`),
    ];
  });
}

/** An event is told once all that precede it were accepted: a message that fails holds back those that follow. */
export function messagesAreInOrder(facts: Case): string[] {
  const [recorded] = only(facts.lines, 'events');
  if (!recorded || facts.taken) return [];
  return findTold(facts).flatMap((accountId) => {
    const order = recorded.events.filter((one) => one.accountId === accountId).map(({ id }) => id);
    const accepted = new Set<string>();
    return only(facts.lines, 'message').flatMap(({ accountId: of, id, type, verdict }) => {
      if (of !== accountId) return [];
      const before = order[order.indexOf(id) - 1];
      if (verdict === 'accepted') accepted.add(id);
      return before === undefined || accepted.has(before)
        ? []
        : [`told out of order: ${type}, message ${id}, before the one that precedes it was accepted`];
    });
  });
}

/** What webhooks were told last agrees with the ledger: groups, posts that were given up, replies and reactions. */
export function messagesTellTheEnd(facts: Case): string[] {
  if (facts.taken) return [];
  return [...findArrived(facts)].flatMap(([accountId, told]) => [
    ...checkGroups(facts, accountId, told),
    ...checkDeliveries(facts, accountId, told),
  ]);
}

function checkGroups(facts: Case, accountId: number, told: readonly RecordedEvent[]): string[] {
  const owner = only(facts.lines, 'owner').find((one) => one.accountId === accountId);
  const last = new Map<number, EventItem>();
  for (const { type, items } of told) if (type === 'group.changed') for (const one of items) last.set(one.groupId, one);
  return facts.final.groups.flatMap(({ accountId: of, chatId, isRemoved, canSend }) => {
    const groupId = owner?.groupIds[owner.chats.indexOf(chatId)];
    if (of !== accountId || groupId === undefined) return [];
    const item = last.get(groupId);
    const isTrue = item ? (item.change === 'removed') === isRemoved && item.canSend === canSend : !isRemoved && canSend;
    return isTrue ? [] : [`told otherwise: group ${groupId} of account ${accountId}`];
  });
}

function checkDeliveries(facts: Case, accountId: number, told: readonly RecordedEvent[]): string[] {
  const campaigns = new Map(
    facts.final.campaigns.flatMap((one) => (one.accountId === accountId && !one.deleted ? [[one.campaign, one]] : [])),
  );
  const about = Map.groupBy(
    told.flatMap(({ type, runId, items }) => items.map((item) => ({ type, runId, item }))),
    ({ runId, item }) => `${runId} ${item.groupId}`,
  );
  return facts.final.deliveries.flatMap((delivery) => {
    const campaign = campaigns.get(delivery.campaign);
    if (!campaign) return [];
    const own = about.get(`${delivery.runId} ${delivery.groupId}`) ?? [];
    const lastOf = (type: string) => own.findLast((one) => one.type === type)?.item;
    const what = `${campaign.text}, run ${delivery.runId}, group ${delivery.groupId}`;
    const isRetried = requestsOf(facts, campaign.text, ['retry']).some(mayApply);
    const given = own.filter(({ type }) => type === 'delivery.failed' || type === 'delivery.unknown');
    return [
      ...checkGivenUp(delivery, { given: given.map(({ type }) => type), isRetried, what }),
      ...((lastOf('message.reply')?.replies ?? 0) === delivery.replies ? [] : [`told otherwise: replies to ${what}`]),
      ...((lastOf('message.reaction')?.reactions ?? 0) === delivery.reactions
        ? []
        : [`told otherwise: reactions to ${what}`]),
    ];
  });
}

function checkGivenUp(
  { status, error, uncertain, delivered, reactions, replies, views }: FinalDelivery,
  { given, isRetried, what }: { given: readonly string[]; isRetried: boolean; what: string },
): string[] {
  if (status === 'failed') {
    const type = error?.startsWith('outcome_unknown') ? 'delivery.unknown' : 'delivery.failed';
    return given.at(-1) === type ? [] : [`told otherwise: ${what} failed, and ${given.at(-1) ?? 'nothing'} was told`];
  }
  // One that was given up leaves again at a retry, or proves to have been sent.
  const mayHaveFailed = isRetried || uncertain || delivered + reactions + replies + views > 0;
  return given.length > 0 && !mayHaveFailed
    ? [`told otherwise: ${what} is ${status}, and ${given.at(-1)} was told`]
    : [];
}

/** A ledger that was put back is held until an operator resumes it, and meanwhile tells nothing. */
export function heldLedgersTellNothing(facts: Case): string[] {
  const { taken, lines } = facts;
  if (!taken || !only(lines, 'released').some(({ atMs }) => atMs >= taken.toMs)) return [];
  const resumedMs = only(lines, 'statement').find(
    ({ process, sql, atMs }) => process === 'operator' && sql === 'commit' && atMs >= taken.toMs,
  )?.atMs;
  return only(lines, 'message')
    .filter(({ atMs }) => atMs > taken.toMs && resumedMs !== undefined && atMs < resumedMs)
    .map(({ type, id }) => `told while it was held: ${type}, message ${id}`);
}
