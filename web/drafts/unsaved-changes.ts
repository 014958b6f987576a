import type { QueryClient } from '@tanstack/react-query';

/** The cache keys of drafts and of edited campaigns, each followed by an id. */
export const DRAFT_KEY = ['draft'] as const;
export const EDITS_KEY = ['change'] as const;

/** Returns whether something exists only in the memory of this page. */
export function hasUnsavedChanges(client: QueryClient): boolean {
  return [DRAFT_KEY, EDITS_KEY].some((queryKey) =>
    client.getQueriesData<{ isChanged: boolean }>({ queryKey }).some(([, written]) => written?.isChanged === true),
  );
}

/** Asks before the page is closed with unsaved changes. */
export function confirmBeforeUnload(client: QueryClient): void {
  addEventListener('beforeunload', (event) => {
    if (hasUnsavedChanges(client)) event.preventDefault();
  });
}
