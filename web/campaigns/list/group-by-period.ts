import type { CampaignRow } from '../../api/operations.ts';
import { dateIn } from '../../format/time.ts';

/** In the order of the page. */
const PERIODS = ['now', 'next', 'today', 'earlier'] as const;

export type Period = (typeof PERIODS)[number];

/**
 * Groups campaigns by what comes first to a manager: those that send, those with a run to come (the soonest first), and the rest by the
 * day of creation in `zone`, newest first.
 */
export function groupByPeriod(
  campaigns: readonly CampaignRow[],
  today: string,
  zone: string,
): Array<[Period, CampaignRow[]]> {
  const periodOf = (campaign: CampaignRow): Period => {
    if (isSending(campaign)) return 'now';
    if (campaign.next_run_at !== null) return 'next';
    return dateIn(campaign.created_at, zone) === today ? 'today' : 'earlier';
  };
  const found = Map.groupBy(campaigns.toSorted(compare), periodOf);
  return PERIODS.flatMap((period) => {
    const own = found.get(period);
    return own ? [[period, own] as [Period, CampaignRow[]]] : [];
  });
}

/** Whether posts of it are under way. A reminder sends to fewer groups than it has: which it left out is not told by its sums. */
function isSending({ status, next_run_at: nextRunAt, is_follow_up: isFollowUp, progress }: CampaignRow): boolean {
  if (status !== 'running') return false;
  return nextRunAt === null || (isFollowUp !== true && progress.sent + progress.failed < progress.deliveries);
}

function compare(one: CampaignRow, other: CampaignRow): number {
  if (one.next_run_at !== null && other.next_run_at !== null) return one.next_run_at.localeCompare(other.next_run_at);
  if (one.next_run_at !== null) return -1;
  if (other.next_run_at !== null) return 1;
  return other.created_at.localeCompare(one.created_at);
}
