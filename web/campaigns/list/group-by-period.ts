import type { CampaignRow } from '../../api/operations.ts';
import { daysOfView } from '../../calendar/days.ts';
import { dateIn } from '../../format/time.ts';

/** In the order of the page. */
const PERIODS = ['today', 'week', 'later', 'earlier'] as const;

export type Period = (typeof PERIODS)[number];

/**
 * Groups campaigns by the day, in `zone`, of one instant each: the next run of a campaign that has one (`next_run_at`), else the creation
 * (`created_at`). Runs to come are first in their period, the soonest before the others; the rest follows, newest first.
 */
export function groupByPeriod(
  campaigns: readonly CampaignRow[],
  today: string,
  zone: string,
): Array<[Period, CampaignRow[]]> {
  const week = daysOfView('week', today);
  const [first = today, last = today] = [week[0], week.at(-1)];
  const periodOf = (campaign: CampaignRow): Period => {
    const day = dateIn(instantOf(campaign), zone);
    if (day === today) return 'today';
    if (day > last) return 'later';
    return day >= first ? 'week' : 'earlier';
  };
  const found = Map.groupBy(campaigns.toSorted(compare), periodOf);
  return PERIODS.flatMap((period) => {
    const own = found.get(period);
    return own ? [[period, own] as [Period, CampaignRow[]]] : [];
  });
}

function instantOf(campaign: CampaignRow): string {
  return campaign.next_run_at ?? campaign.created_at;
}

function compare(one: CampaignRow, other: CampaignRow): number {
  if (one.next_run_at !== null && other.next_run_at !== null) return one.next_run_at.localeCompare(other.next_run_at);
  if (one.next_run_at !== null) return -1;
  if (other.next_run_at !== null) return 1;
  return other.created_at.localeCompare(one.created_at);
}
