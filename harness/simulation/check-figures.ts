/** Whether the analytics agree with the deliveries, and these with what members did: part of the checker. */
import { only, type Case, type Of } from './case.ts';
import type { Counted, DaySums, FinalActivity, FinalCampaign, FinalDelivery, FinalOverview, Receipt } from './line.ts';
import { dayOf } from './wall-clock.ts';

type Count = keyof Counted;
const COUNTS: readonly Count[] = [
  'deliveries',
  'queued',
  'sent',
  'failed',
  'cancelled',
  'recalled',
  'corrected',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
];

/** The totals of a campaign are the sums of its groups, and these the sums of its deliveries. */
export function sumsAddUp({ final }: Case): string[] {
  return final.campaigns.flatMap(({ campaign, text, totals, groups, deleted, runs }) => {
    if (deleted || !totals) return [];
    const own = final.deliveries.filter((one) => one.campaign === campaign);
    const isWritten = runs.every(({ runId, targets }) => own.filter((one) => one.runId === runId).length === targets);
    const sum = (name: Count) => groups.reduce((total, group) => total + (group[name] ?? 0), 0);
    const byGroup = Map.groupBy(own, (one) => one.groupId);
    return [
      ...COUNTS.filter((name) => sum(name) !== (totals[name] ?? 0)).map(
        (name) => `does not add up: ${name} of the groups of ${text}`,
      ),
      ...(isWritten ? compare(text, totals, own) : []),
      ...(isWritten
        ? groups.flatMap((group) =>
            compare(`${text} in group ${group.groupId}`, group, byGroup.get(group.groupId) ?? []),
          )
        : []),
    ];
  });
}

function compare(what: string, counted: Counted, own: readonly FinalDelivery[]): string[] {
  const recounted = recount(own);
  return COUNTS.filter((name) => recounted[name] !== (counted[name] ?? 0)).map(
    (name) => `does not add up: ${what} reports ${counted[name]} ${name}, its deliveries ${recounted[name]}`,
  );
}

/** Returns what deliveries add up to. */
export function recount(own: readonly FinalDelivery[]): Record<Count, number> {
  const sums = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Count, number>;
  for (const one of own) {
    sums.deliveries += 1;
    sums[one.status] += 1;
    sums.recalled += one.isRecalled ? 1 : 0;
    sums.corrected += one.isCorrected ? 1 : 0;
    for (const name of ['delivered', 'read', 'reactions', 'replies', 'views'] as const) sums[name] += one[name];
  }
  return sums;
}

/** Each step of the timeline has the posts that were sent within it, and all steps together have all receipts. */
export function timelinesAddUp({ final }: Case): string[] {
  return final.campaigns.flatMap(({ campaign, text, totals, deleted, timeline }) => {
    if (deleted || !totals) return [];
    const own = final.deliveries.filter((one) => one.campaign === campaign && one.sentMs !== null);
    const sum = (name: 'delivered' | 'read') => timeline.reduce((total, step) => total + step[name], 0);
    const isWithin = (index: number) => (one: FinalDelivery) =>
      (one.sentMs ?? 0) >= (timeline[index]?.atMs ?? 0) && (one.sentMs ?? 0) < (timeline[index + 1]?.atMs ?? Infinity);
    const steps = timeline.flatMap(({ atMs, sent }, index) => {
      const count = own.filter(isWithin(index)).length;
      return count === sent
        ? []
        : [`timeline: ${text} reports ${sent} sent from ${new Date(atMs).toISOString()} on, not ${count}`];
    });
    const isBefore = own.some(({ sentMs }) => (sentMs ?? 0) < (timeline[0]?.atMs ?? Infinity));
    return [
      ...steps,
      ...(isBefore ? [`timeline: ${text} has posts that it does not report`] : []),
      ...(['delivered', 'read'] as const)
        .filter((name) => sum(name) !== (totals[name] ?? 0))
        .map((name) => `timeline: ${text} reports ${sum(name)} ${name}, its totals ${totals[name]}`),
    ];
  });
}

const DAY_SUMS: ReadonlyArray<keyof DaySums> = ['runs', 'sent', 'failed', 'delivered', 'read'];

/** The overview of an account counts each run on the day on which it began, by the owner's clock. */
export function overviewsAddUp(facts: Case): string[] {
  return facts.final.overviews.flatMap((overview) => {
    const { accountId, totals, daily } = overview;
    const what = `overview of account ${accountId}`;
    const byDay = Map.groupBy(begunRuns(facts, accountId), ({ date }) => date);
    const known = daily.flatMap(({ date }) => byDay.get(date) ?? []);
    const found = daily.flatMap((day) => compareDay(`${what} on ${day.date}`, day, byDay.get(day.date) ?? []));
    const sent = known.flatMap(({ posts }) => posts.filter(({ status }) => status === 'sent'));
    const distinct = {
      campaigns: new Set(sent.map(({ campaign }) => campaign)).size,
      groups: new Set(sent.map(({ groupId }) => groupId)).size,
    };
    return [
      ...found,
      ...compareDay(what, totals, known),
      ...(['campaigns', 'groups'] as const)
        .filter((name) => totals[name] !== distinct[name])
        .map((name) => `does not add up: ${what} reports ${totals[name]} ${name}, not ${distinct[name]}`),
    ];
  });
}

/** The activity of a group counts its posts of campaigns that were not deleted. */
export function activitiesAddUp({ final }: Case): string[] {
  return final.activities.flatMap((activity) => {
    const counted = countActivity(final, activity);
    const reported = new Map(activity.groups.map(({ groupId, ...group }) => [groupId, JSON.stringify(group)]));
    return [...new Set([...counted.keys(), ...reported.keys()])]
      .filter((groupId) => counted.get(groupId) !== reported.get(groupId))
      .map(
        (groupId) =>
          `does not add up: the activity of group ${groupId} is ${reported.get(groupId)}, not ${counted.get(groupId)}`,
      );
  });
}

function countActivity(final: Of<'final'>, { accountId, sinceMs }: FinalActivity): Map<number, string> {
  const own = final.campaigns.filter((one) => one.accountId === accountId && !one.deleted);
  const runs = own.flatMap((one) => one.runs).filter(({ startedMs }) => startedMs !== null && startedMs > sinceMs);
  const runIds = new Set(runs.map(({ runId }) => runId));
  const campaigns = new Set(own.map(({ campaign }) => campaign));
  const posts = final.deliveries.filter(
    ({ campaign, runId, status }) =>
      campaigns.has(campaign) && runIds.has(runId) && (status === 'sent' || status === 'failed'),
  );
  return new Map(
    [...Map.groupBy(posts, ({ groupId }) => groupId)].map(([groupId, some]) => {
      const sent = some.flatMap(({ status, sentMs }) => (status === 'sent' ? [sentMs ?? 0] : []));
      const lastMs = sent.length > 0 ? Math.floor(Math.max(...sent)) : null;
      return [groupId, JSON.stringify({ posts: sent.length, failed: some.length - sent.length, lastMs })];
    }),
  );
}

interface BegunRun {
  campaign: FinalCampaign;
  date: string;
  posts: FinalDelivery[];
}

function begunRuns({ lines, final }: Case, accountId: number): BegunRun[] {
  const timeZone = only(lines, 'owner').find((one) => one.accountId === accountId)?.timeZone ?? 'UTC';
  const own = final.campaigns.filter((one) => one.accountId === accountId && !one.deleted);
  return own.flatMap((campaign) =>
    campaign.runs.flatMap(({ startedMs, runId }) => {
      if (startedMs === null) return [];
      const date = new Date(dayOf(timeZone, startedMs)).toISOString().slice(0, 10);
      return [{ campaign, date, posts: final.deliveries.filter((one) => one.runId === runId) }];
    }),
  );
}

function compareDay(
  what: string,
  reported: FinalOverview['daily'][number] | FinalOverview['totals'],
  runs: BegunRun[],
): string[] {
  const counted = { ...recount(runs.flatMap(({ posts }) => posts)), runs: runs.length };
  return DAY_SUMS.filter((name) => reported[name] !== counted[name]).map(
    (name) => `does not add up: ${what} reports ${reported[name]} ${name}, not ${counted[name]}`,
  );
}

type PersonReceipt = Extract<Receipt, { participant: string; messageId: string }>;

/** Each member counts once for each thing they did, under whichever id; of a channel the largest sums count. */
export function receiptsAreCounted({ lines, final, taken }: Case): string[] {
  const reported = only(lines, 'receipts');
  const [all, kept] = [indexReceipts(reported), indexReceipts(taken ? dropUnknown(reported, taken, final) : reported)];
  return final.deliveries.flatMap((delivery) => {
    const { messageId, status, campaign } = delivery;
    const [least, most] = [countReceipts(kept, all, messageId), countReceipts(all, kept, messageId)];
    const found = RECEIPT_COUNTS.filter((name) => delivery[name] < least[name] || delivery[name] > most[name]).map(
      (name) => `receipts: ${campaign} ${messageId} counts ${delivery[name]} ${name}, ${least[name]} were reported`,
    );
    const isReceived = kept.persons.has(messageId) || kept.views.has(messageId);
    if (isReceived && status !== 'sent') found.push(`received, and reported as ${status}: ${campaign} ${messageId}`);
    return found;
  });
}

/**
 * Leaves out the receipts that a ledger which was put back may not have counted: of the time that it lost, and those of posts whose run
 * it had yet to begin again, since no delivery had their message id.
 */
function dropUnknown(
  reported: ReadonlyArray<Of<'receipts'>>,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  final: Of<'final'>,
): Array<Of<'receipts'>> {
  const runs = new Map(final.campaigns.flatMap((one) => one.runs).map((run) => [run.runId, run.startedMs ?? Infinity]));
  const beganMs = new Map(final.deliveries.map(({ messageId, runId }) => [messageId, runs.get(runId) ?? 0]));
  return reported
    .filter(({ atMs }) => atMs < fromMs || atMs > toMs)
    .map((line) => ({
      ...line,
      receipts: line.receipts.filter((one) => one.what === 'same' || (beganMs.get(one.messageId) ?? 0) <= line.atMs),
    }));
}

const RECEIPT_COUNTS = ['delivered', 'read', 'reactions', 'replies', 'views'] as const;

interface Receipts {
  persons: Map<string, PersonReceipt[]>;
  views: Map<string, Array<Extract<Receipt, { what: 'viewed' }>>>;
  /** By alias. */
  names: Map<string, string>;
}

export function indexReceipts(reported: ReadonlyArray<Of<'receipts'>>): Receipts {
  const receipts = reported.flatMap((line) => line.receipts);
  const persons = receipts.filter((one) => one.what !== 'viewed' && one.what !== 'same');
  const views = receipts.filter((one) => one.what === 'viewed');
  const names = receipts.filter((one) => one.what === 'same');
  return {
    persons: Map.groupBy(persons, (one) => one.messageId),
    views: Map.groupBy(views, (one) => one.messageId),
    names: new Map(names.map(({ alias, participant }) => [alias, participant])),
  };
}

/** Counts with the names that `named` knows: the fewest people with all names, the most with those that are surely recorded. */
export function countReceipts(
  { persons, views }: Receipts,
  { names }: Pick<Receipts, 'names'>,
  messageId: string,
): Record<(typeof RECEIPT_COUNTS)[number], number> {
  const own = persons.get(messageId) ?? [];
  const seen = views.get(messageId) ?? [];
  const people = (...what: Array<PersonReceipt['what']>) =>
    new Set(own.filter((one) => what.includes(one.what)).map((one) => names.get(one.participant) ?? one.participant))
      .size;
  return {
    delivered: people('delivered', 'read'),
    read: people('read'),
    reactions: people('reacted') + Math.max(0, ...seen.map(({ reactions }) => reactions)),
    replies: people('replied'),
    views: Math.max(0, ...seen.map((one) => one.views)),
  };
}

/** A post is recorded as sent no sooner than it left. */
export function instantsOfSendsAreTrue({ sends, final }: Case): string[] {
  const accepted = new Map(
    sends.flatMap((one) => (one.verdict === 'accepted' ? [[one.messageId, one.arrivedMs]] : [])),
  );
  return final.deliveries.flatMap(({ messageId, campaign, sentMs }) =>
    sentMs !== null && Math.ceil(sentMs) < Math.floor(accepted.get(messageId) ?? 0)
      ? [`sent before it left: ${campaign} ${messageId}`]
      : [],
  );
}
