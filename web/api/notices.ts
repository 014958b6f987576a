import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from './call.ts';
import { cursorPaging } from './cursor-paging.ts';

/** For changes without a live event. */
const POLL_MS = 60_000;
/** The service writes a notice a moment after its event. */
const REFETCH_DELAY_MS = 2_500;
const PAGE = 20;

/** The user's notices, newest first, a page at a time. The first page has the unread count. */
export const noticesQuery = infiniteQueryOptions({
  queryKey: ['notices'],
  queryFn: ({ pageParam, signal }) => call('user/list_notices', { limit: PAGE, cursor: pageParam }, { signal }),
  ...cursorPaging,
  refetchInterval: POLL_MS,
});

/** Which notices the user gets, by which channel. */
export const noticeSettingsQuery = queryOptions({
  queryKey: ['notice-settings'],
  queryFn: ({ signal }) => call('user/get_notice_settings', {}, { signal }),
});

let refetchTimer: ReturnType<typeof setTimeout> | undefined;

/** Refetches the notices a moment after an event that may cause one. */
export function refetchNoticesSoon(client: QueryClient): void {
  refetchTimer ??= setTimeout(() => {
    refetchTimer = undefined;
    void client.invalidateQueries({ queryKey: noticesQuery.queryKey });
  }, REFETCH_DELAY_MS);
}

/** Marks everything up to the newest loaded notice as read. The list keeps showing which were unread until it is refetched. */
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
