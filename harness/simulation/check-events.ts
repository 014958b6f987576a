/** Whether webhooks get each event that there was, and no other: part of the checker. */
import { only, type Case } from './case.ts';
import { hasApplied, mayApply, requestsOf } from './effects.ts';
import { findArrived } from './check-messages.ts';
import { findStops } from './refusals.ts';
import type { FinalCampaign, FinalRun, RecordedEvent } from './line.ts';

/** Contract: a run of which nothing was tried by then is late. */
const LATE_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

export function eventsAreComplete(facts: Case): string[] {
  const [recorded] = only(facts.lines, 'events');
  // With a ledger that was put back its events are lost, and what caused them is not.
  if (!recorded || facts.taken) return [];
  const arrived = findArrived(facts);
  const beganMs = facts.lines[0]?.atMs ?? 0;
  // A user without a webhook can read an event for a day, and then it is removed. Nothing is where no process delivers any.
  const isRemoved =
    recorded.atMs >= beganMs + KEPT_MS && only(facts.lines, 'owner').some(({ hasWebhook }) => hasWebhook);
  return facts.final.campaigns.flatMap((campaign) => {
    if (campaign.deleted) return [];
    if (isRemoved && !arrived.has(campaign.accountId)) return [];
    // What a webhook was told is compared where there is one, so that the ledger need not be believed.
    const told = arrived.get(campaign.accountId) ?? recorded.events;
    const own = told.filter((one) => one.campaign === campaign.campaign);
    return [
      ...checkCampaign(facts, campaign, own),
      ...campaign.runs.flatMap((run) =>
        checkRun(
          facts,
          { campaign, run },
          own.filter(({ runId }) => runId === run.runId),
        ),
      ),
    ];
  });
}

/** Returns a sentence if the number of events is not between the two. */
function expectCount(
  own: readonly RecordedEvent[],
  type: string,
  span: { least: number; most: number; what: string },
): string[] {
  const { least, most, what } = span;
  const count = own.filter((one) => one.type === type).length;
  return count >= least && count <= most ? [] : [`events: ${count} ${type} of ${what}, not ${least} to ${most}`];
}

function checkCampaign(facts: Case, campaign: FinalCampaign, own: readonly RecordedEvent[]): string[] {
  const { text, status, runs } = campaign;
  const hasBegun = runs.some(({ startedMs }) => startedMs !== null) ? 1 : 0;
  const ends = own.filter(({ type }) => ENDS.has(type));
  const asked = [
    ['pause', 'campaign.paused'],
    ['cancel', 'campaign.cancelled'],
    ['recall', 'campaign.recalled'],
    ['correct', 'campaign.corrected'],
    ['pin', 'campaign.pinned'],
    ['unpin', 'campaign.unpinned'],
  ] as const;
  return [
    ...expectCount(own, 'campaign.accepted', { least: 1, most: 1, what: text }),
    ...expectCount(own, 'campaign.started', { least: hasBegun, most: hasBegun, what: text }),
    ...(ends.at(-1)?.type === `campaign.${status}`
      ? []
      : [`events: ${text} is ${status}, and its last end is ${ends.at(-1)?.type}`]),
    ...asked.flatMap(([operation, type]) => {
      const requests = requestsOf(facts, text, [operation]);
      // A recall without a run cancels the campaign, too.
      const recalls = operation === 'cancel' ? requestsOf(facts, text, ['recall']).filter(mayApply).length : 0;
      // Three refusals more may pause it by themselves.
      const stops = operation === 'pause' ? findStops(facts, text).length : 0;
      const least = requests.filter((one) => hasApplied(facts, one)).length;
      return expectCount(own, type, { least, most: requests.filter(mayApply).length + recalls + stops, what: text });
    }),
  ];
}

const ENDS = new Set(['campaign.cancelled', 'campaign.completed', 'campaign.completed_with_errors']);

function checkRun(
  facts: Case,
  { campaign, run }: { campaign: FinalCampaign; run: FinalRun },
  own: readonly RecordedEvent[],
): string[] {
  const { runId, status, startedMs, dueMs } = run;
  const what = `run ${runId} of ${campaign.text}`;
  const retries = requestsOf(facts, campaign.text, ['retry']).filter(mayApply).length;
  const began = startedMs === null ? 0 : 1;
  const missed = status === 'missed' ? 1 : 0;
  const isPausable =
    requestsOf(facts, campaign.text, ['pause']).some(mayApply) || findStops(facts, campaign.text).length > 0;
  const late = startedMs !== null && startedMs >= dueMs + LATE_MS ? 1 : 0;
  const isTried = facts.sends.some(
    ({ messageId, arrivedMs }) =>
      facts.deliveries.get(messageId)?.runId === runId && arrivedMs < (startedMs ?? 0) + LATE_MS,
  );
  const changes = own.filter(({ type }) => type === 'run.started' || type === 'run.completed');
  const isEnded = status.startsWith('completed');
  return [
    ...expectCount(own, 'run.started', { least: began, most: began * (1 + retries), what }),
    ...expectCount(own, 'campaign.missed', { least: missed, most: missed, what }),
    ...(isPausable || startedMs === null
      ? []
      : expectCount(own, 'campaign.late', { least: late, most: isTried ? late : 1, what })),
    ...(isEnded && changes.at(-1)?.type !== 'run.completed' ? [`events: ${what} has ended, and no event says so`] : []),
  ];
}
