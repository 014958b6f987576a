import '@mantine/core/styles.layer.css';
import { Button, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { RowsSkeleton } from '../parts/page.tsx';
import { PRODUCT } from '../parts/product.ts';
import { t } from '../i18n/translate.ts';
import { MOST_ROWS, ReportView } from './report-view.tsx';
import classes from './report.module.css';

/** The report of a link, for anyone who has it. The token is in the fragment of the address. */
export default function SharedReportPage() {
  const token = window.location.hash.slice(1);
  const report = useQuery({
    queryKey: ['shared-report', token],
    queryFn: ({ signal }) =>
      call('analytics/get-shared-report', { token, limit: MOST_ROWS, with_runs: true }, { signal }),
    enabled: token !== '',
    retry: false,
  });
  useEffect(() => {
    document.title = `${t('pages.report')} · ${PRODUCT}`;
  }, []);
  const isGone = token === '' || (report.error instanceof CampanileError && report.error.status === 404);
  return (
    <main className={classes.shared}>
      <Group justify="space-between" mb="lg" gap="sm">
        <Title order={1} size="h2">
          {t('pages.report')}
        </Title>
        {report.data && (
          <Button
            variant="default"
            className={classes.actions}
            leftSection={<Icon name="file" size={16} />}
            onClick={() => window.print()}
          >
            {t('report.print')}
          </Button>
        )}
      </Group>
      {isGone ? (
        <Empty title={t('report.gone')}>{t('report.goneHint')}</Empty>
      ) : report.isError ? (
        <ErrorAlert error={report.error} retry={() => void report.refetch()} />
      ) : report.data ? (
        <ReportView report={report.data} />
      ) : (
        <RowsSkeleton rows={4} height={110} />
      )}
    </main>
  );
}
