import type { QueryClient } from '@tanstack/react-query';

/** Where what is being written lives among what was fetched, each followed by an id. */
export const DRAFT_KEY = ['draft'] as const;
export const EDITS_KEY = ['change'] as const;

/** Whether something was written that is in the memory of this page alone, and goes with it. */
export function hasUnsavedChanges(client: QueryClient): boolean {
  return [DRAFT_KEY, EDITS_KEY].some((queryKey) =>
    client.getQueriesData<{ isChanged: boolean }>({ queryKey }).some(([, written]) => written?.isChanged === true),
  );
}

/** The browser asks before the page goes, and with it what is in its memory alone. */
export function confirmBeforeUnload(client: QueryClient): void {
  addEventListener('beforeunload', (event) => {
    if (hasUnsavedChanges(client)) event.preventDefault();
  });
}
