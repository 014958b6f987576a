/** The checker: finds violations from the history of a world alone, without the service. */
import { ADDS, isOf, isTakenBack, only, type Case } from './case.ts';
import {
  changesReachThem,
  commandsAreCarriedOutOnce,
  haltsHold,
  keysWorkOnce,
  sendWindowsAreRespected,
  warmUpsAreKept,
  whatIsErasedIsGone,
} from './check-requests.ts';
import { contentsAreTheOnesRequested, findAdded, groupsOf } from './check-contents.ts';
import {
  messagesBelongToOneAccount,
  oneAccountSends,
  standInsSend,
  triedDeliveriesStay,
  waysAddUp,
} from './check-accounts.ts';
import { rightAccountsSend, sendersAreLinked, sharedRunsAreInOrder } from './check-senders.ts';
import { eventsAreComplete } from './check-events.ts';
import { followUpsLeaveOutReaders } from './check-follow-ups.ts';
import { failuresHaveACause, groupsAreTheOnesListed } from './check-groups.ts';
import {
  heldLedgersTellNothing,
  messagesAreInOrder,
  messagesAreTheEvents,
  messagesTellTheEnd,
} from './check-messages.ts';
import { changesAreRequested, correctionsArrive, runsBeginInOrder } from './check-order.ts';
import { runsAreTheOnesRequested } from './check-runs.ts';
import { refusalsPauseTheCampaign } from './refusals.ts';
import { nothingStaleLeaves, postsLeaveInTime, runsBeginInTime, timeGoesOn } from './check-times.ts';
import {
  instantsOfSendsAreTrue,
  overviewsAddUp,
  activitiesAddUp,
  receiptsAreCounted,
  sumsAddUp,
  timelinesAddUp,
} from './check-figures.ts';
import {
  attemptsReachTheSame,
  mentionsAreAllowed,
  pinsAreTheOnesRequested,
  quotesAreTheOnesRequested,
} from './check-reach.ts';
import { votesAreCounted } from './check-votes.ts';
import type { Line } from './line.ts';

/** What must not have happened, one sentence each. */
export function checkHistory(lines: readonly Line[]): string[] {
  const [final] = only(lines, 'final');
  const [world] = only(lines, 'world');
  if (!final || !world) return ['the history has no beginning or no end'];
  const answers = new Map(only(lines, 'answer').map((one) => [one.request, one]));
  const [copied] = only(lines, 'copied');
  const [putBack] = only(lines, 'put back');
  const owners = only(lines, 'owner');
  const ledgers = new Map(
    owners.flatMap(({ accountId, further = [] }) => further.map((one) => [one.accountId, accountId] as const)),
  );
  const facts: Case = {
    taken: copied && putBack && { fromMs: copied.atMs, toMs: putBack.atMs },
    lines,
    final,
    gapMs: world.gapMs,
    sends: only(lines, 'send').map((one) => ({ ...one, ownerId: ledgers.get(one.accountId) ?? one.accountId })),
    shared: new Map(owners.flatMap((owner) => (owner.further ? [[owner.accountId, owner] as const] : []))),
    requests: only(lines, 'request').map((one) => ({ ...one, answer: answers.get(one.request) })),
    campaigns: new Map(final.campaigns.map((one) => [one.campaign, one])),
    deliveries: new Map(final.deliveries.map((one) => [one.messageId, one])),
  };
  return RULES.flatMap((rule) => rule(facts));
}

const RULES: ReadonlyArray<(facts: Case) => string[]> = [
  nothingIsLost,
  everythingEnds,
  ledgerMatchesSends,
  nothingIsSentTwice,
  nothingUnrequested,
  repeatsAreTheSame,
  firstAttemptsAreInOrder,
  sendsRespectTheGap,
  oneSendsAtATime,
  haltsHold,
  sumsAddUp,
  timelinesAddUp,
  overviewsAddUp,
  activitiesAddUp,
  receiptsAreCounted,
  votesAreCounted,
  instantsOfSendsAreTrue,
  changesReachThem,
  commandsAreCarriedOutOnce,
  keysWorkOnce,
  whatIsErasedIsGone,
  sendWindowsAreRespected,
  warmUpsAreKept,
  timeGoesOn,
  runsAreTheOnesRequested,
  runsBeginInTime,
  postsLeaveInTime,
  nothingStaleLeaves,
  runsBeginInOrder,
  correctionsArrive,
  changesAreRequested,
  eventsAreComplete,
  filesAreTheOnesRequested,
  contentsAreTheOnesRequested,
  failuresHaveACause,
  groupsAreTheOnesListed,
  messagesAreTheEvents,
  messagesAreInOrder,
  messagesTellTheEnd,
  heldLedgersTellNothing,
  attemptsReachTheSame,
  mentionsAreAllowed,
  quotesAreTheOnesRequested,
  pinsAreTheOnesRequested,
  followUpsLeaveOutReaders,
  refusalsPauseTheCampaign,
  messagesBelongToOneAccount,
  triedDeliveriesStay,
  oneAccountSends,
  standInsSend,
  waysAddUp,
  sendersAreLinked,
  rightAccountsSend,
  sharedRunsAreInOrder,
];

function nothingIsLost(facts: Case): string[] {
  const { requests, campaigns, final } = facts;
  return requests.flatMap((request) => {
    const { operation, answer, text, accountId } = request;
    if (!ADDS.has(operation) || !answer?.campaign || isTakenBack(facts, request)) return [];
    const campaign = campaigns.get(answer.campaign);
    if (!campaign) return isDeleted(requests, text, accountId) ? [] : [`lost: ${text} was accepted and is gone`];
    if (campaign.deleted) return [];
    const sizes = groupsOf(facts, { text, accountId }).map((groupIds) => groupIds.length);
    return campaign.runs.flatMap(({ runId, status, targets }) => {
      if (status === 'missed' || (status === 'cancelled' && targets === 0)) return [];
      const written = final.deliveries.filter((one) => one.runId === runId).length;
      return sizes.includes(targets) && (written === targets || status === 'cancelled')
        ? []
        : [`lost: ${text}, run ${runId} (${status}): ${written} deliveries of ${sizes.join(' or ')}`];
    });
  });
}

/** Returns whether a delete or an erasure was requested, whether or not the client got the answer. */
function isDeleted(requests: Case['requests'], text: string, accountId: number): boolean {
  return requests.some(
    (one) =>
      (one.operation === 'delete' && one.text === text) || (one.operation === 'erase' && one.accountId === accountId),
  );
}

function everythingEnds({ final, lines }: Case): string[] {
  const open = final.campaigns.filter(
    ({ status, deleted }) => !deleted && ['scheduled', 'running', 'paused'].includes(status),
  );
  return [
    ...only(lines, 'stuck').map(({ forMs }) => `not live: ${forMs} ms without anything that was due`),
    ...open.map(({ text, status }) => `never ended: ${text} is ${status}`),
    ...(final.inHand > 0 ? [`in hand for ever: turns of ${final.inHand} accounts`] : []),
    ...(final.stoppedAccounts > 0 ? [`contradicts itself: ${final.stoppedAccounts} accounts were stopped`] : []),
  ];
}

function ledgerMatchesSends({ sends, final }: Case): string[] {
  const accepted = new Set(sends.filter(({ verdict }) => verdict === 'accepted').map((one) => one.messageId));
  return final.deliveries.flatMap(({ messageId, status, uncertain, campaign, position, error }) => {
    const what = `${campaign} no. ${position} (${messageId})`;
    if (status === 'sent' && !accepted.has(messageId)) return [`told as sent, and never left: ${what}`];
    if (status === 'failed' && accepted.has(messageId) && !uncertain && !error?.startsWith('outcome_unknown'))
      return [`left, and told as failed for sure: ${what}`];
    return [];
  });
}

function nothingIsSentTwice({ sends, requests }: Case): string[] {
  const accepted = sends.filter(({ verdict }) => verdict === 'accepted');
  const copies = [...Map.groupBy(accepted, (one) => one.messageId)].filter(([, own]) => own.length > 1);
  const twice = requests
    .filter(({ operation }) => operation === 'send')
    .flatMap(({ text, accountId }) => {
      const own = accepted.filter((one) => one.ownerId === accountId && isOf(one.text, text));
      const chats = [...Map.groupBy(own, (one) => one.chatId)].filter(([, some]) => some.length > 1);
      return chats.map(([chatId]) => `twice: ${text} in ${chatId} under two ids`);
    });
  return [...copies.map(([id]) => `twice: ${id} was accepted again`), ...twice];
}

function nothingUnrequested(facts: Case): string[] {
  const { sends, lines } = facts;
  const chats = new Map(
    only(lines, 'owner').flatMap((owner) => owner.groupIds.map((id, index) => [id, owner.chats[index]] as const)),
  );
  return sends.flatMap(({ text, chatId, ownerId: accountId }) => {
    const asked = findAdded(facts, { text, accountId });
    const groupIds = asked ? groupsOf(facts, asked).flat() : [];
    return groupIds.some((id) => chats.get(id) === chatId) ? [] : [`unasked: ${text} in ${chatId}`];
  });
}

/** Each post has the file of its campaign. */
function filesAreTheOnesRequested(facts: Case): string[] {
  return facts.sends.flatMap(({ text, ownerId: accountId, file, messageId }) => {
    const asked = findAdded(facts, { text, accountId });
    return !asked || (asked.file ?? null) === file ? [] : [`another file: ${messageId} of ${text}`];
  });
}

function repeatsAreTheSame({ sends }: Case): string[] {
  return [...Map.groupBy(sends, (one) => one.messageId)].flatMap(([id, [first, ...repeats]]) =>
    repeats.flatMap(({ chatId, verdict, uncertain }) => [
      ...(chatId === first?.chatId ? [] : [`repeated with a difference: ${id} in ${chatId}`]),
      ...(verdict === 'copy' && !uncertain ? [`repeated without a warning: ${id}`] : []),
    ]),
  );
}

function firstAttemptsAreInOrder({ sends, deliveries, shared }: Case): string[] {
  // A stand-in gets earlier deliveries after later ones: see sharedRunsAreInOrder.
  const alone = sends.filter(({ ownerId }) => !shared.has(ownerId));
  const runs = Map.groupBy(alone, (one) => deliveries.get(one.messageId)?.runId);
  return [...runs].flatMap(([runId, own]) => {
    if (runId === undefined) return [];
    let last = 0;
    const tried = new Set<number>();
    return own.flatMap(({ messageId }) => {
      const position = deliveries.get(messageId)?.position ?? 0;
      if (tried.has(position)) return [];
      tried.add(position);
      const found = position < last ? [`out of order: run ${runId}, no. ${position} after no. ${last}`] : [];
      last = Math.max(last, position);
      return found;
    });
  });
}

function sendsRespectTheGap({ sends, gapMs }: Case): string[] {
  if (gapMs === 0) return [];
  return [...Map.groupBy(sends, (one) => one.accountId)].flatMap(([accountId, own]) =>
    own.flatMap((one, index) => {
      const before = own[index - 1];
      return before && one.arrivedMs - before.answeredMs < gapMs - 1
        ? [
            `under-paced: account ${accountId}, ${one.messageId} ${one.arrivedMs - before.answeredMs} ms after ${before.messageId}`,
          ]
        : [];
    }),
  );
}

/** Two processes that take turns at one account's posts within a second both believe that it is theirs. */
function oneSendsAtATime({ sends }: Case): string[] {
  return [...Map.groupBy(sends, (one) => one.accountId)].flatMap(([accountId, own]) =>
    own.flatMap((one, index) => {
      const [before, last] = [own[index - 1], own[index - 2]];
      if (!before || !last || one.process !== last.process || one.process === before.process) return [];
      return one.arrivedMs - last.answeredMs < 1_000
        ? [`past the fence: account ${accountId}, ${before.process} within ${one.process}`]
        : [];
    }),
  );
}
