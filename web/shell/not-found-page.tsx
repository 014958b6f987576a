import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { words } from '../words/words.ts';

export function NotFoundPage() {
  return (
    <Page title={words.notFound.title}>
      <Empty title={words.notFound.nothingHere} link={{ href: '/', label: words.notFound.home }}>
        {words.notFound.hint}
      </Empty>
    </Page>
  );
}
