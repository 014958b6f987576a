import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { cursorPaging } from '../api/cursor-paging.ts';
import type { Webhook } from '../api/operations.ts';

const KEY = ['webhooks'];
/** While an event is being sent or waits. */
const SOON_MS = 4_000;
/** There is no live event for it, and the user is often fixing a receiver. */
const LATER_MS = 10_000;
const PAGE = 20;

/** The workspace's webhooks, oldest first. */
export const webhooksQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => call('venom/list-webhooks', {}, { signal }),
  refetchInterval: ({ state }) => {
    const isBusy = state.data?.webhooks.some((one) => one.status !== 'disabled' && one.is_behind);
    return isBusy ? SOON_MS : LATER_MS;
  },
});

/** The attempts of a webhook, newest first, a page at a time. */
export const attemptsQuery = ({ webhook_id: webhookId }: Webhook, failedOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: [...KEY, webhookId, 'tries', failedOnly],
    queryFn: ({ pageParam, signal }) =>
      call(
        'venom/list-webhook-tries',
        { webhook_id: webhookId, failed_only: failedOnly, limit: PAGE, cursor: pageParam },
        { signal },
      ),
    ...cursorPaging,
    refetchInterval: SOON_MS,
  });
