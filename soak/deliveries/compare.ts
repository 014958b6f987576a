import type { Verdicts } from '../../test/witness/compare-posts.ts';
import type { Entry } from '../../test/witness/protocol.ts';
import { countVotes, POLL_OPTIONS } from '../../test/witness/votes.ts';
import type { Ask } from './ask.ts';
import type { Sent } from './campaigns.ts';

interface Counts {
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  delivered: number;
}
interface Analytics {
  campaign: { status: string };
  totals: Counts;
  groups: Array<Counts & { group_metadata_id: number }>;
}

/** Returns the campaigns whose analytics differ from the witness's log, each with the difference. */
export async function compareAnalytics(sent: readonly Sent[], { outcomes }: Verdicts, ask: Ask): Promise<string[]> {
  const differences: string[] = [];
  for (const campaign of sent) {
    const { sender, campaignId, run } = campaign;
    const path = 'analytics/get-campaign-group-analytics-master';
    const { data } = await ask<Analytics>(sender, path, { campaign_id: campaignId });
    const seen = outcomes.get(`${run.accountId} ${run.text}`) ?? new Map<string, string>();
    const found = differenceOf(campaign, seen, data);
    if (found !== undefined) differences.push(`${run.text}: ${found}`);
  }
  return differences;
}

interface PollTotals {
  voters: number;
  unreadable: number;
  votes: number[];
}
type Poll = PollTotals & { groups: PollTotals[]; timeline: PollTotals[] };

/** Returns the polls whose results differ from the votes on the posts in the witness's log, or do not add up. */
export async function comparePolls(
  sent: readonly Sent[],
  { entries, ledgers }: { entries: readonly Entry[]; ledgers: ReadonlyMap<number, number> },
  ask: Ask,
): Promise<string[]> {
  const accepted = Map.groupBy(
    entries.filter(({ verdict }) => verdict === 'accepted'),
    ({ accountId, text }) => `${ledgers.get(accountId) ?? accountId} ${text}`,
  );
  const differences: string[] = [];
  for (const { sender, campaignId, run } of sent.filter(({ isPoll }) => isPoll)) {
    const { data } = await ask<{ polls: Poll[] }>(sender, 'analytics/get-poll-results', { campaign_id: campaignId });
    const posts = accepted.get(`${run.accountId} ${run.text}`) ?? [];
    const expected = describeVotes(countVotes(posts.map(({ messageId }) => messageId)));
    const [poll] = data.polls;
    const found = poll ? [poll, addUp(poll.groups), addUp(poll.timeline)].map(describeVotes) : [];
    if (found.some((one) => one !== expected) || !poll)
      differences.push(`${run.text}: the poll has ${found.join(', ')}, not ${expected}`);
  }
  return differences;
}

function describeVotes({ voters, unreadable, votes }: PollTotals): string {
  return `${voters} voters with ${votes.join('/')} and ${unreadable} unreadable`;
}

function addUp(rows: readonly PollTotals[]): PollTotals {
  const sum = (pick: (row: PollTotals) => number) => rows.reduce((all, row) => all + pick(row), 0);
  return {
    voters: sum((row) => row.voters),
    unreadable: sum((row) => row.unreadable),
    votes: POLL_OPTIONS.map((_, index) => sum((row) => row.votes[index] ?? 0)),
  };
}

function differenceOf({ run, groups }: Sent, seen: ReadonlyMap<string, string>, told: Analytics): string | undefined {
  // The remaining deliveries of a cancelled campaign are never sent.
  const expected = (outcome: string | undefined): Counts => ({
    deliveries: 1,
    queued: 0,
    sent: outcome === 'accepted' ? 1 : 0,
    failed: outcome === 'refused for good' ? 1 : 0,
    cancelled: outcome === undefined && run.cancelled ? 1 : 0,
    delivered: outcome === 'accepted' ? 1 : 0,
  });
  // A run that was cancelled before it began never came to deliveries.
  const neverBegan = run.cancelled && told.totals.deliveries === 0;
  if (neverBegan) return seen.size === 0 ? undefined : `${seen.size} posts left, and no delivery is told of`;
  const rows = groups.map(({ groupId, chatId }) => {
    const counts = expected(seen.get(chatId));
    // What was cancelled in its turn's hand, and was refused, may be told as either.
    const row = told.groups.find((group) => group.group_metadata_id === groupId);
    const wasRefused = run.cancelled && counts.failed === 1 && row?.cancelled === 1;
    return { groupId, counts: wasRefused ? { ...counts, failed: 0, cancelled: 1 } : counts };
  });
  for (const { groupId, counts } of rows) {
    const row = told.groups.find((group) => group.group_metadata_id === groupId);
    if (!row) return `group ${groupId} is not told of`;
    for (const [name, count] of Object.entries(counts))
      if (row[name as keyof Counts] !== count)
        return `group ${groupId} has ${row[name as keyof Counts]} ${name}, not ${count}${run.cancelled ? ', cancelled' : ''}: ${JSON.stringify(row)}`;
  }
  for (const name of ['deliveries', 'queued', 'sent', 'failed', 'cancelled', 'delivered'] as const) {
    const sum = rows.reduce((all, { counts }) => all + counts[name], 0);
    if (told.totals[name] !== sum) return `there are ${told.totals[name]} ${name} in all, not ${sum}`;
  }
  const ended = run.cancelled ? 'cancelled' : told.totals.failed > 0 ? 'completed_with_errors' : 'completed';
  return told.campaign.status === ended ? undefined : `it is ${told.campaign.status}, not ${ended}`;
}
