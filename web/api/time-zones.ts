import { queryOptions } from '@tanstack/react-query';
import { request } from './call.ts';

/** The time zones of the service, which may differ from this browser's. */
export const timeZonesQuery = queryOptions({
  queryKey: ['time-zones'],
  queryFn: ({ signal }) => request<string[]>('/session/time-zones', 'GET', { signal }),
  staleTime: Infinity,
});
