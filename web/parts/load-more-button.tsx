import { Button, type ButtonProps } from '@mantine/core';
import { words } from '../words/words.ts';

/** What an infinite query says of its pages. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Fetches the next page of a list, where there is one. */
export function LoadMoreButton({ of, ...props }: { of: Pages } & ButtonProps) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" {...props} loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {words.more}
    </Button>
  );
}
