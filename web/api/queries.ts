import { infiniteQueryOptions, keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import { addDays, addMonths } from '../calendar/days.ts';
import { call } from './call.ts';
import { cursorPaging } from './cursor-paging.ts';
import type {
  AccountStatus,
  Analytics,
  CampaignStatus,
  Group,
  GroupColumn,
  GroupKind,
  PostKind,
} from './operations.ts';

/** Polling covers changes without a live event and times without a live connection. */
const FAST_POLL_MS = 4_000;
const SLOW_POLL_MS = 30_000;
/** In keys, in place of the id of the default account. */
const DEFAULT = 'default';

/** The link to join a group; asks the messaging application if it is not known. */
export const inviteLinkQuery = (groupId: number) =>
  queryOptions({
    queryKey: ['invite-link', groupId],
    queryFn: ({ signal }) => call('venom/get-invite-link', { group_metadata_id: groupId }, { signal }),
    staleTime: Infinity,
    retry: false,
  });

/** The state of an account's link, polled often while it is about to change; without an id, that of the default account. */
export const accountQueryOf = (accountId?: number) =>
  queryOptions({
    queryKey: ['account', accountId ?? DEFAULT],
    queryFn: ({ signal }): Promise<AccountStatus> =>
      call('venom/account-status', { account_id: accountId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'connected' ? SLOW_POLL_MS : FAST_POLL_MS),
  });
export const accountQuery = accountQueryOf();

/** The accounts of the workspace, the default one first. */
export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: async ({ signal }) => (await call('venom/list-accounts', {}, { signal })).accounts,
  refetchInterval: SLOW_POLL_MS,
});

/** The earlier states of an account, newest first. The state is part of the key, so a change refetches at once. */
export const historyQuery = (status: AccountStatus['status'], accountId?: number) =>
  queryOptions({
    queryKey: ['account-history', accountId ?? DEFAULT, status],
    queryFn: async ({ signal, client }) => {
      const body = { account_id: accountId, with_history: true };
      const { number_fixed: isFixed, history } = await call('venom/account-status', body, { signal });
      client.setQueryData(numberFixedQuery(accountId).queryKey, isFixed);
      return history ?? [];
    },
    // Those of another account would be taken for its own.
    placeholderData: (before, query) => (query?.queryKey[1] === (accountId ?? DEFAULT) ? before : undefined),
    refetchInterval: SLOW_POLL_MS,
  });

/** Whether a phone has ever been linked to an account, which fixes its number. Filled by the history query of any state. */
export const numberFixedQuery = (accountId?: number) =>
  queryOptions<boolean>({
    queryKey: ['number-fixed', accountId ?? DEFAULT],
    queryFn: skipToken,
    staleTime: Infinity,
  });

/** Quiet hours and caps of an account. Without a change in its body, the operation only returns them. */
export const sendWindowQueryOf = (accountId?: number) =>
  queryOptions({
    queryKey: ['rests', accountId ?? DEFAULT],
    queryFn: ({ signal }) => call('venom/update-account', { account_id: accountId }, { signal }),
    refetchInterval: SLOW_POLL_MS,
  });

export interface GroupFilter {
  kind: GroupKind | undefined;
  search: string;
  /** Only the groups of this saved list. */
  listId?: number | undefined;
  /** Only groups without a post for so many days. */
  silentDays?: number | undefined;
  hasFailed?: boolean | undefined;
  minMembers?: number | undefined;
  maxMembers?: number | undefined;
  /** Values by the names of fields; an empty one: without a value. */
  fields?: Record<string, string> | undefined;
}

export interface GroupSort {
  by: GroupColumn;
  isDown: boolean;
}

const GROUPS_PAGE = 500;
/** The limit of a campaign (contract §3) and of a saved list. */
export const MAX_GROUPS = 10_000;

/** The user's saved lists, by name. */
export const groupListsQuery = queryOptions({
  queryKey: ['group-lists'],
  queryFn: ({ signal }) => call('venom/list-group-lists', {}, { signal }),
  staleTime: 30_000,
});

/** The filter as the API takes it. */
function toWire({ kind, search, listId, silentDays, hasFailed, minMembers, maxMembers, fields }: GroupFilter) {
  return {
    kind,
    search,
    group_list_id: listId,
    silent_days: silentDays,
    has_failed: hasFailed,
    min_participants: minMembers,
    max_participants: maxMembers,
    fields,
  };
}

/** Groups with the activity of their posts and the totals, a page at a time. */
export const groupsWithActivityQuery = (filter: GroupFilter, { by, isDown }: GroupSort) =>
  infiniteQueryOptions({
    queryKey: ['groups', 'activity', filter, by, isDown],
    queryFn: ({ pageParam, signal }) => {
      const body = {
        ...toWire(filter),
        sort_by: by,
        descending: isDown,
        with_activity: true,
        with_totals: true,
        with_fields: true,
      };
      return call('venom/list-groups', { ...body, limit: GROUPS_PAGE, cursor: pageParam }, { signal });
    },
    ...cursorPaging,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

/** The report of one group. */
export const groupQuery = (groupId: number) =>
  queryOptions({
    queryKey: ['group', groupId],
    queryFn: ({ signal }) => call('analytics/get-group', { group_metadata_id: groupId }, { signal }),
    refetchInterval: SLOW_POLL_MS,
  });

/** Fetches every group that matches the filter, page by page; `withAccounts`: with the accounts that are members. */
export async function fetchAllGroups(
  filter: GroupFilter,
  { withAccounts = false, withFields = false }: { withAccounts?: boolean; withFields?: boolean } = {},
): Promise<Group[]> {
  const body = {
    ...toWire(filter),
    ...(withAccounts && { with_accounts: true }),
    with_fields: withFields,
    limit: GROUPS_PAGE,
  };
  const all: Group[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await call('venom/list-groups', { ...body, cursor });
    all.push(...page.groups);
    cursor = page.next_cursor;
  } while (cursor !== null && all.length < MAX_GROUPS);
  return all;
}

/** Groups by name, a page at a time. */
export const groupsQuery = ({ kind, search }: GroupFilter) =>
  infiniteQueryOptions({
    queryKey: ['groups', kind ?? 'all', search],
    queryFn: ({ pageParam, signal }) =>
      call('venom/list-groups', { kind, search, limit: GROUPS_PAGE, cursor: pageParam }, { signal }),
    ...cursorPaging,
    staleTime: 30_000,
  });

interface CampaignFilter {
  status: CampaignStatus | undefined;
  search: string;
  kind: PostKind | undefined;
  /** Created in it: `2026-08`. */
  month: string | undefined;
  tag: string | undefined;
}

/** Whether a filter leaves campaigns out. */
export function isFiltering(filter: CampaignFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && value !== '');
}

function keyOf(filter: CampaignFilter) {
  return ['campaigns', isFiltering(filter) ? filter : UNFILTERED];
}

function toBody({ status, search, kind, month, tag }: CampaignFilter) {
  const last = month === undefined ? undefined : addDays(addMonths(`${month}-01`, 1), -1);
  return {
    status,
    search,
    tag,
    post_kind: kind,
    ...(month !== undefined && { created_from: `${month}-01`, created_to: last }),
    limit: CAMPAIGNS_PAGE,
    with_reads: true,
    with_post: true,
  };
}

const CAMPAIGNS_PAGE = 50;
/** In the keys of campaigns, in place of a filter that lets all of them through. */
export const UNFILTERED = 'all';
/** The last part of the key of `plannedCampaignsQuery`. */
export const PLANNED = 'planned';

/** Campaigns, newest first, a page at a time; polled often while one of them is running. */
export const campaignsQuery = (filter: CampaignFilter) =>
  infiniteQueryOptions({
    queryKey: keyOf(filter),
    queryFn: ({ pageParam, signal }) =>
      call('venom/list-campaigns', { ...toBody(filter), cursor: pageParam }, { signal }),
    ...cursorPaging,
    refetchInterval: ({ state }) => {
      const isBusy = state.data?.pages.some((page) => page.campaigns.some((one) => one.status === 'running'));
      return isBusy ? FAST_POLL_MS : SLOW_POLL_MS;
    },
  });

/** The campaigns with a run to come, the soonest first: `campaignsQuery` has one that was created long ago only on a later page. */
export const plannedCampaignsQuery = (filter: CampaignFilter) =>
  queryOptions({
    queryKey: [...keyOf(filter), PLANNED],
    queryFn: ({ signal }) => call('venom/list-campaigns', { ...toBody(filter), sort_by: 'next_run_at' }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: SLOW_POLL_MS,
  });

/** The tags that campaigns carry, by their letters. */
export const tagsQuery = queryOptions({
  queryKey: ['campaigns', 'tags'],
  queryFn: ({ signal }) => call('venom/list-campaigns', { limit: 1, with_tags: true }, { signal }),
  select: ({ tags = [] }) => tags,
});

/** How many times slower to poll a large response, which takes longer to make and to render. */
export function pollFactor({ groups }: Analytics): number {
  return Math.max(1, Math.ceil(groups.length / 2_000));
}

/**
 * The analytics of a campaign, with the share of each account where there are several. Members go on reading after it has ended, so it is
 * polled on, less often.
 */
export const analyticsQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['analytics', campaignId],
    queryFn: ({ signal, client }) => {
      const accounts = client.getQueryData(accountsQuery.queryKey) ?? [];
      return call(
        'analytics/get-campaign-group-analytics-master',
        { campaign_id: campaignId, with_estimate: true, ...(accounts.length > 1 && { with_accounts: true }) },
        { signal },
      );
    },
    // Comparing ten thousand rows takes longer than rendering the visible ones.
    structuralSharing: false,
    refetchInterval: ({ state }) => {
      const { data } = state;
      if (!data) return FAST_POLL_MS;
      const isBusy = data.campaign.status === 'running';
      const isYoung = Date.now() - Date.parse(data.campaign.finished_at ?? data.campaign.created_at) < 5 * 60_000;
      const interval = isBusy || isYoung ? FAST_POLL_MS : SLOW_POLL_MS;
      return interval * pollFactor(data);
    },
  });

export const pollResultsQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['poll-results', campaignId],
    queryFn: ({ signal }) => call('analytics/get-poll-results', { campaign_id: campaignId }, { signal }),
    structuralSharing: false,
    refetchInterval: FAST_POLL_MS,
  });

export const campaignQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['campaign', campaignId],
    queryFn: ({ signal }) => call('venom/get-campaign', { campaign_id: campaignId }, { signal }),
    refetchInterval: SLOW_POLL_MS,
  });
