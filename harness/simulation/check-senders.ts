/** Whether each post was sent by the account whose turn it was, and in the order of its run: part of the checker. */
import {
  accountsOf,
  calmOf,
  findDown,
  findDowns,
  isSurelyClosed,
  isSurelyOpen,
  mayRest,
  type Owner,
  type Way,
} from './account-waits.ts';
import { isOf, only, type Case } from './case.ts';
import { effectOf, hasApplied, mayApply, requestsOf } from './effects.ts';
import type { FinalCampaign, FinalDelivery, FinalRun } from './line.ts';
import { clipSpans, totalMs, type Span } from './spans.ts';

type Send = Case['sends'][number];

/** A run begins without an account that has been down for so long, of which so much was calm. */
const SURELY_DOWN_MS = 180_000;
const SURELY_HEARD_MS = 30_000;
const MINUTE_MS = 60_000;
/** After a sleep of the machine its sessions are open again by then. */
const AWAKE_MS = 60_000;

/** Nothing leaves, and no post is changed, by an account that is banned, logged out or paused. */
export function sendersAreLinked({ sends, lines }: Case): string[] {
  const standings = Map.groupBy(only(lines, 'standing'), ({ accountId }) => accountId);
  const standingOf = (accountId: number, atMs: number) =>
    standings.get(accountId)?.findLast((one) => one.atMs < atMs)?.standing ?? 'linked';
  const acts = [
    ...sends.map(({ messageId, accountId, arrivedMs }) => ({ messageId, accountId, atMs: arrivedMs })),
    ...only(lines, 'change').flatMap(({ messageId, accountId, atMs, result }) =>
      accountId === undefined || result !== 'done' ? [] : [{ messageId, accountId, atMs }],
    ),
  ];
  return acts.flatMap(({ messageId, accountId, atMs }) => {
    const standing = standingOf(accountId, atMs);
    return standing === 'linked' ? [] : [`by an account that is ${standing}: ${messageId}, by ${accountId}`];
  });
}

/** A post whose sender is beyond doubt is first tried by that account. */
export function rightAccountsSend(facts: Case): string[] {
  return findFirsts(facts).flatMap(({ send, ...of }) => {
    const sender = findSender(facts, of, send.arrivedMs);
    return sender === undefined || sender === send.accountId
      ? []
      : [`of another account: ${send.messageId} in ${send.chatId}, by ${send.accountId} in place of ${sender}`];
  });
}

/** The first attempts of each account leave in the order of the run, but for what it has got later, or could not send for a moment. */
export function sharedRunsAreInOrder(facts: Case): string[] {
  const byAccount = Map.groupBy(findFirsts(facts), ({ run, send }) => `${run.runId} ${send.accountId}`);
  return [...byAccount.values()].flatMap((own) =>
    own.flatMap((one, index) => {
      const later = own
        .slice(0, index)
        .find(
          ({ delivery, send }) =>
            delivery.position > one.delivery.position &&
            !mayHaveWaited(facts, one, send) &&
            wasSurelyThere(facts, one, send),
        );
      if (!later) return [];
      const { run, delivery, send } = one;
      return [
        `out of order: run ${run.runId}, no. ${delivery.position} after no. ${later.delivery.position}, by ${send.accountId}`,
      ];
    }),
  );
}

interface Post {
  owner: Owner;
  campaign: FinalCampaign;
  run: FinalRun & { startedMs: number };
  delivery: FinalDelivery;
  chatId: string;
}

/** Returns the first attempt of each delivery of workspaces with several accounts. */
function findFirsts({ sends, shared, deliveries, final, taken }: Case): Array<Post & { send: Send }> {
  // A ledger that was put back chooses once more.
  if (taken) return [];
  const runs = new Map(
    final.campaigns.flatMap((campaign) => campaign.runs.map((run) => [run.runId, { campaign, run }] as const)),
  );
  const tried = new Set<string>();
  return sends.flatMap((send) => {
    if (tried.has(send.messageId)) return [];
    tried.add(send.messageId);
    const owner = shared.get(send.ownerId);
    const delivery = deliveries.get(send.messageId);
    const of = delivery && runs.get(delivery.runId);
    if (!owner || !of || of.run.startedMs === null) return [];
    const run = { ...of.run, startedMs: of.run.startedMs };
    return [{ owner, campaign: of.campaign, run, delivery, chatId: send.chatId, send }];
  });
}

/** Returns the account that surely had a post from the beginning of its run until then; undefined: it is in doubt. */
function findSender(
  facts: Case,
  { owner, campaign, run, delivery, chatId }: Post,
  untilMs: number,
): number | undefined {
  const span = { fromMs: run.startedMs, toMs: untilMs };
  if (mayRest(facts, owner, untilMs) || isAskedToMove(facts, { owner, campaign }, span)) return undefined;
  if (wereSessionsClosed(facts, span)) return undefined;
  const order = findOrder(facts, owner, delivery.groupId, span);
  for (const accountId of order ?? []) {
    const way = { accountId, chatId };
    if (isSurelyFit(facts, owner, way, span)) return accountId;
    if (!isSurelyUnfit(facts, owner, way, span)) return undefined;
  }
  return undefined;
}

/** Whether a hand-over, or a retry of the campaign, may have taken effect in the span. */
function isAskedToMove(facts: Case, { owner, campaign }: Pick<Post, 'owner' | 'campaign'>, span: Span): boolean {
  const handOvers = facts.requests.filter(
    (one) => one.operation === 'hand over' && one.accountId === owner.accountId && mayApply(one),
  );
  return [...handOvers, ...requestsOf(facts, campaign.text, ['retry']).filter(mayApply)].some((one) => {
    const effect = effectOf(facts, one);
    return effect.fromMs <= span.toMs && effect.toMs >= span.fromMs;
  });
}

/** Whether stand-ins may have taken over in the span, or given back: an account was down, or its session closed, for as long as the workspace may have allowed. */
function mayFailOver(facts: Case, owner: Owner, span: Span): boolean {
  const allowed = facts.requests.flatMap((one) =>
    one.operation === 'set failover' && one.accountId === owner.accountId ? [one.failoverMinutes] : [],
  );
  const minutes = Math.min(...[owner.failoverMinutes, ...allowed].map((one) => one ?? Infinity));
  const isDown = findDowns(facts, owner).some(
    ({ down }) => down.fromMs + minutes * MINUTE_MS <= span.toMs && down.toMs + SURELY_DOWN_MS >= span.fromMs,
  );
  return isDown || (minutes < Infinity && wereSessionsClosed(facts, span));
}

/** Whether a sleep of the machine may have kept sessions closed for longer than a blip: they are open while it is calm. */
const wereSessionsClosed = (facts: Case, { fromMs, toMs }: Span) =>
  only(facts.lines, 'slept').some(
    ({ atMs, forMs }) =>
      atMs <= toMs && atMs + forMs + AWAKE_MS >= fromMs && clipSpans(calmOf(facts), atMs - 1, atMs).length === 0,
  );

const isSurelyFit = (facts: Case, owner: Owner, way: Way, { toMs }: Span) =>
  isSurelyOpen(facts, owner, way, toMs) && findDown(facts.lines, way.accountId).every(({ fromMs }) => fromMs > toMs);

const isSurelyUnfit = (facts: Case, owner: Owner, way: Way, { fromMs, toMs }: Span) =>
  isSurelyClosed(facts, owner, way, toMs) ||
  findDown(facts.lines, way.accountId).some(
    (down) =>
      down.fromMs + SURELY_DOWN_MS <= fromMs &&
      totalMs(clipSpans(calmOf(facts), down.fromMs, fromMs)) >= SURELY_HEARD_MS &&
      down.toMs > toMs,
  );

/** Returns the accounts of a workspace in the order in which they are to send to a group; undefined: a rule may have changed. */
function findOrder(facts: Case, owner: Owner, groupId: number, span: Span): number[] | undefined {
  const rules = [
    findRule(facts, owner, (groupIds) => groupIds.includes(groupId), span),
    findRule(facts, owner, (groupIds) => groupIds.length === 0, span),
  ];
  if (rules.includes(undefined)) return undefined;
  const [first, ...others] = accountsOf(owner);
  const rest = others.toSorted((one, other) => one - other);
  return [...new Set([...rules.flatMap((rule) => rule ?? []), ...(first === undefined ? [] : [first]), ...rest])];
}

/** Returns the order of the rule that was surely in force in the span, an empty one if there was none; undefined: nobody knows. */
function findRule(
  facts: Case,
  owner: Owner,
  isAbout: (groupIds: readonly number[]) => boolean,
  { fromMs, toMs }: Span,
): readonly number[] | undefined {
  const sets = facts.requests.filter(
    (one) =>
      one.operation === 'set senders' &&
      one.accountId === owner.accountId &&
      isAbout(one.groupIds ?? []) &&
      mayApply(one) &&
      one.atMs <= toMs,
  );
  const isSure = sets.every((one, index) => {
    const next = sets[index + 1];
    return hasApplied(facts, one) && effectOf(facts, one).toMs < Math.min(fromMs, next?.atMs ?? Infinity);
  });
  if (!isSure) return undefined;
  return sets.at(-1)?.senders ?? owner.rules?.find(({ groupIds }) => isAbout(groupIds))?.senders ?? [];
}

/**
 * Whether a turn may have passed over a post and gone on with a later one, because the account could not send for a moment. What a turn leaves
 * goes first in the next one, and what a worker has lost in hand is uncertain at its next attempt.
 */
function mayHaveWaited({ sends, lines }: Case, { send, run }: Post & { send: Send }, later: Send): boolean {
  const { accountId, arrivedMs } = later;
  const before = sends.findLast((one) => one.accountId === accountId && one.arrivedMs < arrivedMs);
  const fromMs = Math.max(run.startedMs, before?.answeredMs ?? 0);
  const isOffline = only(lines, 'offline').some((one) => one.messageId === send.messageId);
  const isDown = findDown(lines, accountId).some((down) => down.fromMs <= arrivedMs && down.toMs >= fromMs);
  return send.uncertain || isOffline || isDown;
}

/** Whether the account surely had a post before another one of the run left. */
function wasSurelyThere(facts: Case, one: Post & { send: Send }, later: Send): boolean {
  const { owner, campaign, run, send, chatId } = one;
  if (findSender(facts, one, later.arrivedMs) === send.accountId) return true;
  const span = { fromMs: run.startedMs, toMs: send.arrivedMs };
  // What the ledger knows under another id now.
  const isMoved = facts.sends.some(
    (other) => !facts.deliveries.has(other.messageId) && other.chatId === chatId && isOf(other.text, campaign.text),
  );
  return !isMoved && !isAskedToMove(facts, one, span) && !mayFailOver(facts, owner, span);
}
