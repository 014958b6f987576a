import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { AccountStatus, CampaignStatus, GroupKind } from './operations.ts';

/** Live progress tells of most changes; these are for what it does not tell, and for when it is cut off. */
const SOON_MS = 4_000;
const LATER_MS = 30_000;

/** The state of the link; asked often while it is about to change. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }): Promise<AccountStatus> => call('venom/account-status', {}, { signal }),
  refetchInterval: ({ state }) => (state.data?.status === 'connected' ? LATER_MS : SOON_MS),
});

/** When the account rests. Asked with nothing to change, the operation only tells. */
export const restsQuery = queryOptions({
  queryKey: ['rests'],
  queryFn: ({ signal }) => call('venom/update-account', {}, { signal }),
  refetchInterval: LATER_MS,
});

export interface GroupFilter {
  kind: GroupKind | undefined;
  search: string;
}

const GROUPS_PAGE = 500;

/** Groups by name, a page at a time. */
export const groupsQuery = ({ kind, search }: GroupFilter) =>
  infiniteQueryOptions({
    queryKey: ['groups', kind ?? 'all', search],
    queryFn: ({ pageParam, signal }) =>
      call('venom/list-groups', { kind, search, limit: GROUPS_PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    staleTime: 30_000,
  });

export interface CampaignFilter {
  status: CampaignStatus | undefined;
  search: string;
}

const CAMPAIGNS_PAGE = 50;

/** Campaigns, newest first, a page at a time; asked often while one of them is under way. */
export const campaignsQuery = ({ status, search }: CampaignFilter) =>
  infiniteQueryOptions({
    queryKey: ['campaigns', status ?? 'all', search],
    queryFn: ({ pageParam, signal }) =>
      call('venom/list-campaigns', { status, search, limit: CAMPAIGNS_PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchInterval: ({ state }) => {
      const isBusy = state.data?.pages.some((page) => page.campaigns.some((one) => one.status === 'running'));
      return isBusy ? SOON_MS : LATER_MS;
    },
  });

/** What became of a campaign. Members go on reading after it has ended, so it is asked on, less often. */
export const analyticsQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['analytics', campaignId],
    queryFn: ({ signal }) =>
      call('analytics/get-campaign-group-analytics-master', { campaign_id: campaignId }, { signal }),
    refetchInterval: ({ state }) => {
      const { data } = state;
      if (!data) return SOON_MS;
      const isBusy = data.campaign.status === 'running';
      const isYoung = Date.now() - Date.parse(data.campaign.finished_at ?? data.campaign.created_at) < 5 * 60_000;
      const interval = isBusy || isYoung ? SOON_MS : LATER_MS;
      // A large answer takes longer to make and to draw.
      return interval * Math.ceil(data.groups.length / 2_000 || 1);
    },
  });

export const campaignQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['campaign', campaignId],
    queryFn: ({ signal }) => call('venom/get-campaign', { campaign_id: campaignId }, { signal }),
    refetchInterval: LATER_MS,
  });
