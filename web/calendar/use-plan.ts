import { useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { CampaignStatus, Run } from '../api/operations.ts';
import { campaignQuery } from '../api/queries.ts';

/** One run in the calendar. */
export interface PlannedRun {
  campaignId: string;
  name: string;
  dueAt: string;
  status: Run['status'] | CampaignStatus;
}

const MOST_CAMPAIGNS = 200;

/** The runs of the newest campaigns: of one sent at once the moment it was sent. */
export function usePlan() {
  const list = useQuery({
    queryKey: ['campaigns', 'calendar'],
    queryFn: ({ signal }) => call('venom/list-campaigns', { limit: MOST_CAMPAIGNS }, { signal }),
    refetchInterval: 30_000,
  });
  const campaigns = list.data?.campaigns ?? [];
  const scheduled = campaigns.filter((campaign) => campaign.is_schedule);
  const details = useQueries({
    queries: scheduled.map(({ campaign_id: id }) => ({ ...campaignQuery(id), refetchInterval: 60_000 })),
  });
  const once = campaigns
    .filter((campaign) => !campaign.is_schedule)
    .map((one) => ({ campaignId: one.campaign_id, name: one.name, dueAt: one.created_at, status: one.status }));
  const planned = details.flatMap(({ data }) =>
    (data?.runs ?? []).map((run) => ({
      campaignId: data?.campaign_id ?? '',
      name: data?.name ?? '',
      dueAt: run.due_at,
      status: run.status,
    })),
  );
  const runs: PlannedRun[] = [...once, ...planned].toSorted((one, other) => one.dueAt.localeCompare(other.dueAt));
  const failed = list.error ?? details.find((one) => one.error)?.error ?? null;
  return {
    runs,
    error: failed,
    isPending: list.isPending || details.some((one) => one.isPending),
    retry: list.refetch,
  };
}
