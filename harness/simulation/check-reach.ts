/** Mentions of everybody, pins and quotes: part of the checker. */
import { isOf, only, ADDS, type Case } from './case.ts';
import { mayApply } from './effects.ts';
import { beginOf, dayOf } from './wall-clock.ts';

type Send = Case['sends'][number];

/** What a workspace allows a day and group, as long as nobody changes it. */
const CAP = 1;
/** A decision and the attempt that follows it may be on different days, if a process stands still in between. */
const AROUND_MIDNIGHT_MS = 3_600_000;

/** Each attempt of a post mentions and quotes the same. */
export function attemptsReachTheSame({ sends, taken }: Case): string[] {
  // Decisions of a ledger that was put back are lost.
  if (taken) return [];
  return [...Map.groupBy(sends, (one) => one.messageId)].flatMap(([messageId, attempts]) =>
    new Set(attempts.map(({ mentionsAll = false, quoted = '' }) => `${mentionsAll} ${quoted}`)).size > 1
      ? [`not the same in each attempt: the mention or quote of ${messageId}`]
      : [],
  );
}

/** Everybody in a group is mentioned as often a day as the workspace allows, and only if that was asked for; else the ledger says so. */
export function mentionsAreAllowed(facts: Case): string[] {
  const { sends, requests, deliveries, taken } = facts;
  const isAsked = ({ text }: Send) =>
    requests.some((one) => ADDS.has(one.operation) && one.mentionsAll && mayApply(one) && isOf(text, one.text));
  const accepted = sends.filter(({ verdict }) => verdict === 'accepted');
  const unasked = accepted.filter((one) => one.mentionsAll && !isAsked(one));
  const untold = taken
    ? []
    : accepted.filter((one) => {
        const isLeftOut = deliveries.get(one.messageId)?.isMentionLeftOut;
        return isLeftOut != null && isLeftOut === (one.mentionsAll ?? false);
      });
  return [
    ...unasked.map(({ messageId }) => `mentions everybody without a request: ${messageId}`),
    ...untold.map(({ messageId }) => `told otherwise: whether ${messageId} mentions everybody`),
    ...(taken ? [] : findOverCap(facts, accepted)),
  ];
}

function findOverCap({ lines, sends }: Case, accepted: readonly Send[]): string[] {
  const firstMs = new Map<string, number>();
  for (const { messageId, arrivedMs } of sends)
    firstMs.set(messageId, Math.min(firstMs.get(messageId) ?? Infinity, arrivedMs));
  for (const { messageId, atMs } of only(lines, 'offline'))
    firstMs.set(messageId, Math.min(firstMs.get(messageId) ?? Infinity, atMs));
  const zones = new Map(only(lines, 'owner').map(({ accountId, timeZone }) => [accountId, timeZone]));
  const days = accepted.flatMap(({ ownerId, chatId, messageId, mentionsAll }) => {
    const zone = zones.get(ownerId) ?? 'UTC';
    const atMs = firstMs.get(messageId) ?? 0;
    const dayMs = dayOf(zone, atMs);
    return mentionsAll && atMs - beginOf(zone, dayMs) > AROUND_MIDNIGHT_MS ? [`${chatId} on ${dayMs}`] : [];
  });
  return [...Map.groupBy(days, (day) => day)].flatMap(([day, all]) =>
    all.length > CAP ? [`mentioned ${all.length} times: everybody in ${day}`] : [],
  );
}

/** A post quotes the post of another campaign in the same group, which was sent before, and only if that was asked for. */
export function quotesAreTheOnesRequested({ sends, requests, deliveries, taken }: Case): string[] {
  return sends.flatMap(({ messageId, quoted, chatId, text, arrivedMs }) => {
    if (quoted === undefined) return [];
    const original = sends.find((one) => one.messageId === quoted && one.verdict === 'accepted');
    const request = requests.find((one) => ADDS.has(one.operation) && mayApply(one) && isOf(text, one.text));
    const ofCampaign = deliveries.get(quoted)?.campaign;
    const isRight =
      original?.chatId === chatId &&
      original.arrivedMs <= arrivedMs &&
      request?.repliesTo !== undefined &&
      (taken !== undefined || ofCampaign === undefined || ofCampaign === request.repliesTo);
    return isRight ? [] : [`quotes another post than it should: ${messageId} quotes ${quoted}`];
  });
}

/** What the ledger tells as pinned is; and of a campaign that is to be pinned all that was sent is, or says why not. */
export function pinsAreTheOnesRequested(facts: Case): string[] {
  const { lines, requests, final, campaigns, taken } = facts;
  const pinned = new Map(
    only(lines, 'change').flatMap(({ change, messageId, result }) =>
      (change === 'pin' || change === 'unpin') && result === 'done' ? [[messageId, change === 'pin'] as const] : [],
    ),
  );
  return final.deliveries.flatMap(({ messageId, campaign, status, pin, pinFailure, isRecalled, groupId }) => {
    const text = campaigns.get(campaign)?.text ?? '';
    const isWanted = requests.some((one) => ADDS.has(one.operation) && one.isPinned && isOf(one.text, text));
    const isUnpinned = requests.some((one) => one.operation === 'unpin' && mayApply(one) && one.text === text);
    const isChannel = only(lines, 'owner').some(({ channelIds }) => channelIds.includes(groupId));
    if (pin === 'waiting') return [`still to be pinned: ${messageId}`];
    return [
      // What was done and not recorded stays unknown if the next try finds no post, or comes too late.
      ...(!taken && !isRecalled && !pinFailure && (pin === 'pinned') !== (pinned.get(messageId) ?? false)
        ? [`told otherwise: the pin of ${messageId}`]
        : []),
      ...(!taken &&
      isWanted &&
      !isUnpinned &&
      status === 'sent' &&
      pin !== 'pinned' &&
      !pinFailure &&
      !isRecalled &&
      !isChannel
        ? [`not pinned: ${messageId}`]
        : []),
    ];
  });
}
