import { Alert, Text } from '@mantine/core';
import { count } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { listNames } from '../format/list-names.ts';
import { t } from '../i18n/translate.ts';
import type { SyncReport } from './sync-groups.ts';

const NAMED = 6;

/** Says that a sync is running, and shows its result. */
export function SyncReportCallout({
  isBusy,
  report,
  close,
}: {
  isBusy: boolean;
  report?: SyncReport;
  close: () => void;
}) {
  if (isBusy)
    return (
      <Text size="sm" c="dimmed" mb="sm" role="status">
        {t('groups.syncing')}
      </Text>
    );
  if (!report) return null;
  const lines = reportLines(report);
  return (
    <Alert
      variant="default"
      mb="md"
      role="status"
      icon={<Icon name="check" />}
      title={t('groups.synced', {
        total: count(report.total),
        added: count(report.added),
        updated: count(report.updated),
        removed: count(report.removed),
      })}
      withCloseButton
      closeButtonLabel={t('common.close')}
      onClose={close}
    >
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Alert>
  );
}

function reportLines(report: SyncReport): string[] {
  const { added, updated, removed } = report;
  if (added + updated + removed === 0) return [t('groups.nothingChanged')];
  const renamed = report.renamed.map((one) => t('groups.renamed', { before: one.before, after: one.after }));
  const resized = report.resized.map((one) =>
    t('groups.resized', { name: one.name, before: count(one.before), after: count(one.after) }),
  );
  const changes = [
    { key: 'groups.syncNew', names: report.new },
    { key: 'groups.syncGone', names: report.gone },
    { key: 'groups.syncRenamed', names: renamed },
    { key: 'groups.syncSize', names: resized },
  ] as const;
  const lines = changes.flatMap(({ key, names }) =>
    names.length === 0 ? [] : [t(key, { names: listNames(names, NAMED) })],
  );
  return lines.length === 0 ? [t('groups.syncOther')] : lines;
}
