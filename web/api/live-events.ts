import { useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { LiveEvent } from '../../clients/typescript/events.ts';
import { campanile, endSessionOnUnauthorized } from './call.ts';
import { EDITS_KEY } from '../drafts/unsaved-changes.ts';
import { useDisconnectedSince } from './connection.ts';
import { refetchNoticesSoon } from './notices.ts';
import type { CampaignRow, Data } from './operations.ts';
import {
  accountQuery,
  accountQueryOf,
  accountsQuery,
  analyticsQuery,
  PLANNED,
  UNFILTERED,
  pollFactor,
} from './queries.ts';

type CampaignEvent = Extract<LiveEvent, { event: 'campaign' }>['data'];
type Page = Data<'venom/list-campaigns'>;

/** The shortest time between two refetches of a campaign's analytics; large campaigns wait longer. */
const ANALYTICS_INTERVAL_MS = 1_000;

/**
 * Listens to the user's live events while the page is visible and the service is reachable. A hidden page closes its stream: browsers allow
 * few connections per origin.
 */
export function useLiveEvents(): void {
  const client = useQueryClient();
  const isLost = useDisconnectedSince() !== undefined;
  const lastEventId = useRef<string>(undefined);
  useEffect(() => {
    // The old stream is dead; the next one starts after reconnecting.
    if (isLost) return undefined;
    let listening: AbortController | undefined;
    const followVisibility = () => {
      if (document.visibilityState === 'hidden') {
        listening?.abort();
        listening = undefined;
      } else if (!listening) {
        listening = new AbortController();
        void listen(client, lastEventId, listening.signal);
      }
    };
    followVisibility();
    document.addEventListener('visibilitychange', followVisibility);
    return () => {
      document.removeEventListener('visibilitychange', followVisibility);
      listening?.abort();
    };
  }, [client, isLost]);
}

/** Ends with the signal or with the session. */
async function listen(
  client: QueryClient,
  lastEventId: { current: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of campanile.events({ signal, lastEventId: lastEventId.current })) {
      lastEventId.current = event.lastEventId;
      applyEvent(client, event);
    }
  } catch (error) {
    if (!signal.aborted) endSessionOnUnauthorized(error);
  }
}

function applyEvent(client: QueryClient, event: LiveEvent): void {
  switch (event.event) {
    case 'connected':
      // The snapshot that follows lacks campaigns that ended long ago or were deleted meanwhile.
      void client.invalidateQueries({ queryKey: ['campaigns'] });
      return;
    case 'message':
      applyMessage(client, event.data.type);
      return;
    case 'expired':
      // Events were lost, so anything may have changed.
      void client.invalidateQueries();
      return;
    case 'account':
      client.setQueryData(accountQueryOf(event.data.account_id).queryKey, event.data);
      if (event.data.is_default) client.setQueryData(accountQuery.queryKey, event.data);
      void client.invalidateQueries({ queryKey: accountsQuery.queryKey });
      refetchNoticesSoon(client);
      return;
    case 'campaign':
      updateRow(client, event.data);
      refetchAnalyticsSoon(client, event.data.campaign_id);
      if (event.data.status.startsWith('completed')) refetchNoticesSoon(client);
      return;
    case 'campaign_deleted':
      evictCampaign(client, event.data.campaign_id);
      return;
    default:
      event satisfies never;
  }
}

/** Handles events that no progress event covers. */
function applyMessage(client: QueryClient, type: string): void {
  if (type === 'group.changed') void client.invalidateQueries({ queryKey: ['groups'] });
  else if (/^campaign\.(waiting|decided)$/.test(type)) {
    void client.invalidateQueries({ queryKey: ['approvals'] });
    refetchNoticesSoon(client);
  } else if (/^run\.|^campaign\.(accepted|missed|late)$/.test(type))
    void client.invalidateQueries({ queryKey: ['runs'] });
}

/** Removes a deleted campaign from the cache and refetches lists and figures. */
export function evictCampaign(client: QueryClient, campaignId: string): void {
  for (const queryKey of [
    ['analytics', campaignId],
    ['campaign', campaignId],
  ])
    void client.resetQueries({ queryKey });
  client.removeQueries({ queryKey: [...EDITS_KEY, campaignId] });
  for (const queryKey of [['campaigns'], ['runs'], ['overview']]) void client.invalidateQueries({ queryKey });
}

function updateRow(client: QueryClient, { campaign_id: id, name, status, progress, next_run_at }: CampaignEvent): void {
  const change = (row: CampaignRow): CampaignRow =>
    row.campaign_id === id
      ? {
          ...row,
          name,
          status,
          next_run_at,
          progress: {
            deliveries: progress.deliveries,
            sent: progress.sent,
            failed: progress.failed,
            delivered: progress.delivered ?? 0,
            read: progress.read ?? 0,
            // Comes only with the list, which is refetched soon.
            read_rate: row.progress.read_rate ?? null,
          },
        }
      : row;
  for (const [queryKey, kept] of client.getQueriesData<InfiniteData<Page> | Page>({ queryKey: ['campaigns'] })) {
    if (!kept) continue;
    const pages = 'pages' in kept ? kept.pages : [kept];
    const isShown = pages.some((page) => page.campaigns.some((row) => row.campaign_id === id));
    if (!isShown && queryKey[2] === PLANNED && next_run_at === null) continue;
    const isFiltered = queryKey[1] !== UNFILTERED;
    // The campaign may now match a filtered list, or no longer match it.
    if (!isShown || isFiltered) void client.invalidateQueries({ queryKey, exact: true });
    else client.setQueryData(queryKey, changed(kept, change));
  }
}

function changed(kept: InfiniteData<Page> | Page, change: (row: CampaignRow) => CampaignRow) {
  const changePage = (page: Page): Page => ({ ...page, campaigns: page.campaigns.map(change) });
  return 'pages' in kept ? { ...kept, pages: kept.pages.map(changePage) } : changePage(kept);
}

const refetchTimers = new Map<string, ReturnType<typeof setTimeout>>();

/**
 * Refetches now, or when the interval is over: the last change is never skipped. The totals of the event are left aside: beside the figures
 * of the groups, which are older, the page would say two things.
 */
function refetchAnalyticsSoon(client: QueryClient, campaignId: string): void {
  const { queryKey } = analyticsQuery(campaignId);
  const state = client.getQueryState(queryKey);
  if (!state || refetchTimers.has(campaignId)) return;
  const gapMs = ANALYTICS_INTERVAL_MS * (state.data ? pollFactor(state.data) : 1);
  const refetch = () => {
    refetchTimers.delete(campaignId);
    void client.invalidateQueries({ queryKey });
  };
  refetchTimers.set(campaignId, setTimeout(refetch, Math.max(0, state.dataUpdatedAt + gapMs - Date.now())));
}
