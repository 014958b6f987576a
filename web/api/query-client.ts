import { QueryClient } from '@tanstack/react-query';

/** Parks nothing: whatever is asked for while the browser believes to be offline is tried, and fails, at once. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // The client tries again by itself what can be tried again.
        retry: false,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
