import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';

export type Preview = Data<'venom/preview-campaign'>;

const WAIT_MS = 250;
/** The preview of an empty message, which the service rejects if there is no file. */
const NOTHING: Preview = { text: '', length: 0, limit: 65_536, warnings: [], link: null };

/** The text that members will see, rendered by the service a moment after the last key. Keeps the last preview after an error. */
export function usePreview(html: string, hasFile: boolean) {
  const [settled] = useDebouncedValue(html, WAIT_MS);
  const preview = useQuery({
    queryKey: ['preview', settled, hasFile],
    queryFn: ({ signal }) =>
      settled === '' ? NOTHING : call('venom/preview-campaign', { html: settled, with_file: hasFile }, { signal }),
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
    isSettled: settled === html && !preview.isFetching,
  };
}

/** The length of a text that the service rejects for it. */
function lengthOf(error: unknown): number | undefined {
  if (!(error instanceof CampanileError)) return undefined;
  const length = error.details.find(({ code }) => code === 'text_too_long')?.params?.['length'];
  return typeof length === 'number' ? length : undefined;
}
