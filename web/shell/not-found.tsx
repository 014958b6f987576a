import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { words } from '../words/words.ts';

export function NotFoundPage() {
  return (
    <Page title={words.notFound.title}>
      <Empty
        title={words.notFound.nothingHere}
        action={
          <Button component={Link} href="/">
            {words.notFound.home}
          </Button>
        }
      >
        {words.notFound.hint}
      </Empty>
    </Page>
  );
}
