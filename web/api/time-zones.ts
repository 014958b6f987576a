import { queryOptions } from '@tanstack/react-query';
import { request } from './call.ts';

/** The zones that the service offers. It may know others than this browser. */
export const timeZonesQuery = queryOptions({
  queryKey: ['time-zones'],
  queryFn: ({ signal }) => request<string[]>('/session/time-zones', 'GET', { signal }),
  staleTime: Infinity,
});
