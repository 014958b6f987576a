import { QueryClient } from '@tanstack/react-query';

/** Never queues a request: offline, each one is tried and fails at once. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // The API client retries by itself.
        retry: false,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
