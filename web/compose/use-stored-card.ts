import { useQuery } from '@tanstack/react-query';
import { mediaQuery } from '../api/media.ts';
import type { Campaign } from '../api/operations.ts';
import type { Card } from './card.ts';
import { base64 } from './send-draft.ts';

/** The link preview of a campaign with its picture, as a form changes it. */
export function useStoredCard(stored: Campaign['link_preview']) {
  const sha256 = stored?.picture?.sha256;
  const picture = useQuery({
    queryKey: ['link-preview-picture', sha256],
    queryFn: async ({ client }) => {
      const file = await client.fetchQuery(mediaQuery(sha256 ?? ''));
      return `data:image/jpeg;base64,${await base64(new File([file], 'picture.jpg', { type: 'image/jpeg' }))}`;
    },
    enabled: sha256 !== undefined,
    staleTime: Infinity,
  });
  const { isError, error, refetch } = picture;
  const image = picture.data ?? null;
  const card: Card | null = stored && { url: stored.url, title: stored.title, description: stored.description, image };
  return { card, isComplete: sha256 === undefined || image !== null, isError, error, refetch };
}
