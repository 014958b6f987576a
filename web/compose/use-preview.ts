import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import type { Body, Data } from '../api/operations.ts';
import type { Translation } from './reach.ts';

export type Preview = Data<'venom/preview-campaign'>;

const WAIT_MS = 250;
const EMPTY = JSON.stringify({ html: '', translations: [] });
/** The preview of an empty message, which the service rejects if there is no file. */
const NOTHING: Preview = { text: '', length: 0, limit: 65_536, warnings: [], links: [] };

type PreviewBody = Body<'venom/preview-campaign'>;

/** What of a post has fields beside its text. */
export type PreviewedExtras = Pick<PreviewBody, 'poll' | 'event' | 'media' | 'link_preview'>;

interface Shown {
  hasFile: boolean;
  withFields: boolean;
  /** The group that gets it. */
  groupId?: number | undefined;
  /** With a group: it gets one of these if one is in its language. */
  translations?: readonly Translation[];
  /** Filled for the group. */
  extras?: PreviewedExtras;
  /** Filled for its first run. Default: for now. */
  schedule?: Partial<PreviewBody> | undefined;
}

/**
 * The text that members will see, with fields or translations those of a group, rendered by the service a moment after the last key. Keeps the
 * last preview after an error.
 */
export function usePreview(
  html: string,
  { hasFile, withFields, groupId, translations = [], extras = {}, schedule }: Shown,
) {
  const written = JSON.stringify({ html, translations: translations.filter((one) => one.html !== ''), ...extras });
  const [settled] = useDebouncedValue(written, WAIT_MS);
  const preview = useQuery({
    queryKey: ['preview', settled, hasFile, withFields, groupId, schedule],
    queryFn: ({ signal }) => {
      if (settled === EMPTY) return NOTHING;
      const post = JSON.parse(settled) as PreviewedExtras & { html: string; translations: Translation[] };
      const body = { ...post, ...schedule, with_file: hasFile, with_fields: withFields, group_metadata_id: groupId };
      return call('venom/preview-campaign', body, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const [answered, setAnswered] = useState(NOTHING);
  if (preview.data && preview.data !== answered) setAnswered(preview.data);
  return {
    preview: preview.data ?? answered,
    length: lengthOf(preview.error) ?? (preview.data ?? answered).length,
    error: preview.error,
    isSettled: settled === written && !preview.isFetching,
  };
}

/** The length of a text that the service rejects for it. */
function lengthOf(error: unknown): number | undefined {
  if (!(error instanceof CampanileError)) return undefined;
  const length = error.details.find(({ code }) => code === 'text_too_long')?.params?.['length'];
  return typeof length === 'number' ? length : undefined;
}
