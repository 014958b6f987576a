import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../api/call.ts';
import { attachedCard, type Card } from './card.ts';
import type { Preview } from './use-preview.ts';

/** A link that is being typed is another link with each key. */
const WAIT_MS = 1_200;
const FRESH_MS = 10 * 60_000;

/** Fetches the card of the first link, unless the post has one that fits its text. A card goes with its link. */
export function useCard({
  card,
  change,
  preview,
  isSettled,
  isAutomatic,
}: {
  card: Card | null;
  change: (card: Card | null) => void;
  preview: Preview;
  /** Whether the preview is that of the present text. */
  isSettled: boolean;
  /** Otherwise nothing is fetched until the author asks. */
  isAutomatic: boolean;
}) {
  const { text, link } = preview;
  const attached = attachedCard(card, text);
  const [settled] = useDebouncedValue(link, WAIT_MS);
  const isMissing = link !== null && attached === null;
  const isWanted = isMissing && isAutomatic && settled === link && isSettled;
  const found = useQuery({
    queryKey: ['link-preview', link],
    queryFn: ({ signal }) => call('venom/link-preview', { url: link ?? '' }, { signal }),
    enabled: isWanted,
    staleTime: FRESH_MS,
    gcTime: FRESH_MS,
    retry: false,
  });
  const fetched = isWanted ? (found.data?.link_preview ?? null) : null;
  const isLost = isSettled && card !== null && attached === null && fetched === null;
  useEffect(() => {
    if (fetched) change(fetched);
    else if (isLost) change(null);
  });
  return {
    attached,
    link: attached?.url ?? link,
    isFetching: isMissing && isAutomatic && (found.isFetching || settled !== link),
    reason: attached === null ? (found.data?.reason ?? null) : null,
    error: attached === null ? found.error : null,
    fetchAgain: () => void found.refetch(),
  };
}
