import { Button, Chip, Group, Menu, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { call } from '../api/call.ts';
import { useMay } from '../api/workspace.ts';
import { isDay } from '../calendar/days.ts';
import type { CsvFormat } from '../parts/download-csv-button.tsx';
import { downloadCsv, downloadFile } from '../parts/download-file.ts';
import { dateIn } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { notifyError } from '../parts/notify.ts';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { oneOf, useQueryParam } from '../parts/use-query-param.ts';
import { t } from '../i18n/translate.ts';
import { AboutPicker, useAbout } from './about-picker.tsx';
import classes from './report.module.css';
import { spanOf, SPANS, type Selection, type Span, type SpanName } from './report-spans.ts';
import { MOST_ROWS, ReportView } from './report-view.tsx';

const ShareDialog = lazy(lazyWithRetry(() => import('./share-dialog.tsx')));

/** The report on a span of days, to read, to print, to export and to share. */
export default function ReportPage() {
  const { name, setName, span, setFirst, setLast } = useSpan();
  const about = useAbout();
  const [isSharing, sharing] = useDisclosure(false);
  const selection = { start_date: span.first, end_date: span.last, ...about.selection };
  const report = useQuery({
    queryKey: ['report', selection],
    queryFn: ({ signal }) =>
      call('analytics/get-report', { ...selection, limit: MOST_ROWS, with_runs: true }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('pages.report')} actions={<Actions selection={selection} share={sharing.open} />}>
      <div className={classes.controls}>
        <Chip.Group value={name} onChange={setName}>
          <Group gap={6} role="radiogroup" aria-label={t('overview.span')}>
            {SPANS.map((value) => (
              <Chip key={value} value={value} size="sm" variant="outline">
                {t(`report.spans.${value}`)}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        {name === 'own' && (
          <Group gap="xs">
            <DayField label={t('report.from')} value={span.first} onChange={setFirst} />
            <DayField label={t('report.to')} value={span.last} onChange={setLast} />
          </Group>
        )}
        <AboutPicker about={about} />
      </div>
      {report.isError && <ErrorAlert error={report.error} retry={() => void report.refetch()} />}
      {report.isPending && <RowsSkeleton rows={4} height={110} />}
      {report.data && !report.isError && (
        <ReportView report={report.data} isStale={report.isPlaceholderData} isLinked />
      )}
      <Suspense>{isSharing && <ShareDialog selection={selection} close={sharing.close} />}</Suspense>
    </Page>
  );
}

/** The span in the URL: a preset, or own days. */
function useSpan() {
  const today = dateIn(new Date(useNow()), useZone());
  const [name, setName] = useQueryParam<SpanName>('span', 'this-month', oneOf(SPANS));
  const [from, setFirst] = useQueryParam('from', '', isDay);
  const [to, setLast] = useQueryParam('to', '', isDay);
  const preset = spanOf(name === 'own' ? 'this-month' : name, today);
  const span: Span = name === 'own' ? { first: from || preset.first, last: to || preset.last } : preset;
  return {
    name,
    setName: (value: string) => setName(SPANS.find((one) => one === value) ?? 'this-month'),
    span,
    setFirst,
    setLast,
  };
}

function DayField({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      value={value}
      required
      onChange={({ currentTarget }) => isDay(currentTarget.value) && onChange(currentTarget.value)}
    />
  );
}

/** As many as the service returns at most. */
const ALL_ROWS = 100_000;

function Actions({ selection, share }: { selection: Selection; share: () => void }) {
  const mayShare = useMay('manager') !== false;
  const exporting = useMutation({
    mutationFn: async (format: CsvFormat | 'json') => {
      const { start_date: first, end_date: last } = selection;
      const name = t('report.fileName', { first, last });
      if (format !== 'json') return downloadCsv(await call('analytics/export-report', { ...selection, format }), name);
      const whole = await call('analytics/get-report', { ...selection, limit: ALL_ROWS, with_runs: true });
      downloadFile(new Blob([JSON.stringify(whole, null, 2)], { type: 'application/json' }), name, format);
    },
    onError: notifyError,
  });
  return (
    <Group gap="xs" className={classes.actions}>
      <Button variant="default" leftSection={<Icon name="file" size={16} />} onClick={() => window.print()}>
        {t('report.print')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />} loading={exporting.isPending}>
            {t('report.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => exporting.mutate('excel')}>{t('report.exportExcel')}</Menu.Item>
          <Menu.Item onClick={() => exporting.mutate('csv')}>{t('report.exportCsv')}</Menu.Item>
          <Menu.Item onClick={() => exporting.mutate('json')}>{t('report.exportJson')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {mayShare && (
        <Button leftSection={<Icon name="send" size={16} />} onClick={share}>
          {t('report.share')}
        </Button>
      )}
    </Group>
  );
}
