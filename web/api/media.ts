import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

const CACHE_MS = 10 * 60_000;

/** The still of a film by the film's hash. */
export const stillQuery = (sha256: string) =>
  queryOptions({
    queryKey: ['media', sha256, 'still'],
    queryFn: ({ signal }) => call('venom/get-media', { sha256, still: true }, { signal }),
    gcTime: CACHE_MS,
  });

/** An attached file by its hash. The content of a hash never changes. */
export const mediaQuery = (sha256: string) =>
  queryOptions({
    queryKey: ['media', sha256],
    queryFn: ({ signal }) => call('venom/get-media', { sha256 }, { signal }),
    staleTime: Infinity,
    gcTime: CACHE_MS,
  });
