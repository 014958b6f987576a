/** Whether follow-ups leave out the groups that have read, and only these: part of the checker. */
import { ADDS, isOf, only, type Case } from './case.ts';
import { countReceipts, indexReceipts } from './check-figures.ts';
import { mayApply } from './effects.ts';
import type { FinalDelivery, FinalRun } from './line.ts';

const READ_BY = /^read by (\d+) %$/;

/** Whether a follow-up left the group of a delivery out. */
export const isSkipped = ({ errorCode }: FinalDelivery) =>
  errorCode === 'already_read' || errorCode === 'reads_unknown';

/**
 * A group that had surely read enough, or of which nothing was known, when a run began, gets no post of it. One that was left out had
 * perhaps read enough, or perhaps got no post of the earlier campaign. Nothing is left out of another campaign.
 */
export function followUpsLeaveOutReaders(facts: Case): string[] {
  const { final, taken, lines } = facts;
  // A ledger that was put back decides again, with the reads that it had.
  if (taken) return [];
  const channels = new Set(only(lines, 'owner').flatMap(({ channelIds }) => channelIds));
  const posts = Map.groupBy(final.deliveries, ({ campaign }) => campaign);
  const sent = new Set(facts.sends.map(({ messageId }) => messageId));
  return final.campaigns.flatMap(({ campaign, text, runs, deleted }) => {
    const own = deleted ? [] : (posts.get(campaign) ?? []);
    const followUp = findFollowUp(facts, text);
    if (!followUp) return own.filter(isSkipped).map((one) => `left out without a request: ${one.messageId} of ${text}`);
    const isGone = mayBeDeleted(facts, followUp.campaign);
    return own.flatMap((delivery) => {
      const { messageId, groupId, runId } = delivery;
      if (!isSkipped(delivery) && !sent.has(messageId)) return [];
      const question = {
        run: runs.find((one) => one.runId === runId),
        delivery,
        earlier: channels.has(groupId)
          ? []
          : (posts.get(followUp.campaign) ?? []).filter((one) => one.groupId === groupId),
        underPercent: followUp.underPercent,
        isGone,
        what: `${messageId} of ${text}, which follows up ${followUp.campaign}`,
      };
      return isSkipped(delivery) ? checkSkipped(facts, question) : checkSent(facts, question);
    });
  });
}

function findFollowUp({ requests }: Case, text: string): Case['requests'][number]['followUp'] {
  const request = requests.find((one) => ADDS.has(one.operation) && mayApply(one) && isOf(text, one.text));
  return request?.followUp;
}

/** Whether the earlier campaign is deleted, or may have been: nothing is known of it then. */
function mayBeDeleted({ requests, campaigns }: Case, campaign: string): boolean {
  const found = campaigns.get(campaign);
  return !found || found.deleted || requests.some((one) => one.operation === 'delete' && one.text === found.text);
}

interface Question {
  run: FinalRun | undefined;
  delivery: FinalDelivery;
  /** The deliveries of the earlier campaign to the group; none: its reads are unknown. */
  earlier: readonly FinalDelivery[];
  underPercent: number;
  isGone: boolean;
  what: string;
}

function checkSent({ lines }: Case, { run, earlier, underPercent, isGone, what }: Question): string[] {
  if (isGone) return [];
  if (!earlier.some(({ status }) => status === 'sent')) return [`follows up what was not sent: ${what}`];
  const { all, before } = indexBoth(lines, run);
  const least = sumOf(earlier, ({ messageId }) => countReceipts(before, all, messageId).read);
  const percent = (100 * least) / sumOf(earlier, membersOf);
  return percent >= underPercent ? [`sent to readers: ${what}, when at least ${percent} % had read`] : [];
}

function checkSkipped(
  { lines }: Case,
  { run, delivery: { status, error }, earlier, underPercent, isGone, what }: Question,
): string[] {
  if (status !== 'cancelled') return [`left out, and ${status}: ${what}`];
  const { all, before } = indexBoth(lines, run);
  const said = READ_BY.exec(error ?? '')?.[1];
  if (said === undefined) {
    const isKnown = !isGone && earlier.some(({ messageId }) => countReceipts(before, all, messageId).delivered > 0);
    return isKnown ? [`left out as unknown, and known: ${what}`] : [];
  }
  const percent = Number(said);
  const most = sumOf(earlier, ({ messageId }) => countReceipts(all, NAMELESS, messageId).read);
  const [one, another] = earlier;
  const members = one && !another && !one.uncertain ? Math.max(1, one.recipients) : 1;
  return percent >= underPercent && percent <= (100 * most) / members
    ? []
    : [`left out without readers: ${what}, ${error}`];
}

/** Indexes the receipts that were surely recorded when a run began, and all. */
function indexBoth(lines: Case['lines'], run: FinalRun | undefined) {
  const reported = only(lines, 'receipts');
  const startedMs = run?.startedMs ?? -Infinity;
  return { all: indexReceipts(reported), before: indexReceipts(reported.filter(({ atMs }) => atMs <= startedMs)) };
}

const NAMELESS = { names: new Map<string, string>() };

const sumOf = (deliveries: readonly FinalDelivery[], of: (delivery: FinalDelivery) => number) =>
  deliveries.reduce((sum, one) => sum + of(one), 0);

/** The most members that the read rate is of. */
const membersOf = ({ status, recipients, delivered, reactions, replies }: FinalDelivery) =>
  status === 'sent' ? Math.max(recipients, delivered, reactions, replies) : 0;
