import { Stack, Text } from '@mantine/core';
import type { Analytics, Run } from '../../api/operations.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { t } from '../../i18n/translate.ts';
import { countInTime, type Revision } from './revision-windows.ts';

/** The consequences of a recall or correction, of one run or of the whole campaign. */
export function RevisionConsequences({
  revision,
  analytics,
  run,
}: {
  revision: Revision;
  analytics: Analytics;
  run: Run | undefined;
}) {
  const zone = useZone();
  const nowMs = useNow();
  const lines: string[] = [];
  if (run) {
    lines.push(
      t(`revise.${revision}.ofRun`, { time: exactTime(run.due_at, zone), groups: run.sent }),
      t(`revise.window.${revision}`),
    );
    if (run.status === 'running') lines.push(t(`revise.${revision}.restOfRun`));
  } else {
    const { there, inTime } = countInTime(analytics.groups, revision, nowMs);
    lines.push(t(`revise.${revision}.ofAll`, { groups: there }));
    lines.push(
      there > inTime
        ? t('revise.tooLate', { groups: there - inTime, window: t(`revise.window.${revision}`) })
        : t(`revise.window.${revision}`),
    );
    const isOpen = analytics.runs.some(({ status }) => status === 'planned' || status === 'running');
    if (isOpen) lines.push(t(`revise.${revision}.rest`));
  }
  lines.push(t(`revise.${revision}.seen`));
  return (
    <Stack gap={6}>
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}
