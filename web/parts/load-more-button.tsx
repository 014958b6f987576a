import { Button, type ButtonProps } from '@mantine/core';
import { words } from '../words/words.ts';

/** The part of an infinite query that paging needs. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Fetches the next page of a list, if there is one. */
export function LoadMoreButton({ of, ...props }: { of: Pages } & ButtonProps) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" {...props} loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {words.more}
    </Button>
  );
}
