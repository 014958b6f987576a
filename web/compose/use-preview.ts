import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';

export type Preview = Data<'venom/preview-campaign'>;

const WAIT_MS = 250;
/** What the service answers for nothing at all: an empty message is none of its business yet. */
const NOTHING: Preview = { text: '', length: 0, limit: 65_536, warnings: [] };

/**
 * The very text that members would see, as the service makes it, a moment after the last key. What could not be asked for stays as it was
 * before.
 */
export function usePreview(html: string) {
  const [settled] = useDebouncedValue(html, WAIT_MS);
  const preview = useQuery({
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => (settled === '' ? NOTHING : call('venom/preview-campaign', { html: settled }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const [answered, setAnswered] = useState(NOTHING);
  if (preview.data && preview.data !== answered) setAnswered(preview.data);
  return {
    preview: preview.data ?? answered,
    error: preview.error,
    isSettled: settled === html && !preview.isFetching,
  };
}
