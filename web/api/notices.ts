import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from './call.ts';

/** For what live progress does not tell. */
const POLL_MS = 60_000;
/** A notice is made a moment after what it tells. */
const REFETCH_DELAY_MS = 2_500;
const PAGE = 20;

/** What whoever is signed in was told, newest first, a page at a time; the first also says how much of it was not read. */
export const noticesQuery = infiniteQueryOptions({
  queryKey: ['notices'],
  queryFn: ({ pageParam, signal }) => call('user/list_notices', { limit: PAGE, cursor: pageParam }, { signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.next_cursor ?? undefined,
  refetchInterval: POLL_MS,
});

/** How whoever is signed in is told of what. */
export const noticeSettingsQuery = queryOptions({
  queryKey: ['notice-settings'],
  queryFn: ({ signal }) => call('user/get_notice_settings', {}, { signal }),
});

let refetchTimer: ReturnType<typeof setTimeout> | undefined;

/** Something happened that there may be a notice of. */
export function refetchNoticesSoon(client: QueryClient): void {
  refetchTimer ??= setTimeout(() => {
    refetchTimer = undefined;
    void client.invalidateQueries({ queryKey: noticesQuery.queryKey });
  }, REFETCH_DELAY_MS);
}

/** All up to the newest that is known has been read. Those that were not are still shown as such until they are asked for anew. */
export async function markAllRead(client: QueryClient): Promise<void> {
  const [first] = client.getQueryData(noticesQuery.queryKey)?.pages ?? [];
  const newest = first?.notices[0];
  if (!first || !newest || first.unread_count === 0) return;
  const { unread_count } = await call('user/read_notices', { up_to: newest.place });
  client.setQueryData(
    noticesQuery.queryKey,
    (kept) => kept && { ...kept, pages: kept.pages.map((page) => ({ ...page, unread_count })) },
  );
}
