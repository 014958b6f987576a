import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')}>
      <Empty title={t('notFound.nothingHere')} link={{ href: '/', label: t('notFound.home') }}>
        {t('notFound.hint')}
      </Empty>
    </Page>
  );
}
