import { Alert, Text } from '@mantine/core';
import { count } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
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
        {words.groups.syncing}
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
      title={words.groups.synced(
        count(report.total),
        count(report.added),
        count(report.updated),
        count(report.removed),
      )}
      withCloseButton
      closeButtonLabel={words.close}
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
  if (added + updated + removed === 0) return [words.groups.nothingChanged];
  const renamed = report.renamed.map((one) => words.groups.renamed(one.before, one.after));
  const resized = report.resized.map((one) => words.groups.resized(one.name, count(one.before), count(one.after)));
  const lines = [
    { names: report.new, say: words.groups.syncNew },
    { names: report.gone, say: words.groups.syncGone },
    { names: renamed, say: words.groups.syncRenamed },
    { names: resized, say: words.groups.syncSize },
  ].flatMap(({ names, say }) => (names.length === 0 ? [] : [say(shortened(names))]));
  return lines.length === 0 ? [words.groups.syncOther] : lines;
}

function shortened(names: readonly string[]): string {
  return words.groups.andMore(names.slice(0, NAMED), Math.max(0, names.length - NAMED));
}
