import { useForceUpdate } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { generateIdempotencyKey } from '../api/call.ts';
import type { Draft } from '../compose/draft.ts';
import { draftQuery } from './persisted-draft.ts';
import { changeDraft, deleteDraft, savePersistedDraft } from './save-draft.ts';

/** The draft with this id, saved as it changes. */
export function usePersistedDraft(id: string, timeZone: string) {
  const client = useQueryClient();
  // The query cache notifies a moment after a change: by then React would have reset the field and its cursor.
  const rerender = useForceUpdate();
  const { data: kept, error, refetch } = useQuery(draftQuery(id, timeZone));

  // Saves on unmount without waiting.
  useEffect(() => () => void savePersistedDraft(client, id), [client, id]);

  const update = useCallback(
    (change: Partial<Draft>) => {
      changeDraft(client, id, (before) => ({
        ...before,
        draft: { ...before.draft, ...change, idempotencyKey: generateIdempotencyKey() },
      }));
      rerender();
    },
    [client, id, rerender],
  );
  const attach = useCallback(
    (file: File | null) =>
      changeDraft(client, id, (before) => ({
        ...before,
        file,
        isOtherFile: true,
        fileProblem: undefined,
        draft: { ...before.draft, idempotencyKey: generateIdempotencyKey() },
      })),
    [client, id],
  );
  const drop = useCallback(() => deleteDraft(client, id), [client, id]);
  return { kept, error, refetch, update, attach, drop };
}
