import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Analytics, Run } from '../../api/operations.ts';
import { analyticsQuery } from '../../api/queries.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { ErrorText } from '../../parts/error-alert.tsx';
import { PartSkeleton } from '../../parts/page.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { t } from '../../i18n/translate.ts';
import { countInTime, type Revision } from './revision-windows.ts';

interface ConsequencesProps {
  revision: Revision;
  analytics: Analytics;
  /** The whole campaign if undefined. */
  run: Run | undefined;
}

/**
 * The consequences of a recall or correction, of one run or of the whole campaign. They are counted once the figures of this moment are
 * there: those of the page may be older than the last posts. Mount it when its dialog opens.
 */
export function RevisionConsequences({ revision, analytics, run }: ConsequencesProps) {
  const [openedAt] = useState(Date.now);
  const { campaign_id: id } = analytics.campaign;
  const fresh = useQuery({ ...analyticsQuery(id), refetchOnMount: 'always' });
  if (fresh.isError) return <ErrorText error={fresh.error} />;
  if (!fresh.data || fresh.dataUpdatedAt < openedAt) return <PartSkeleton height={88} />;
  const same = run && fresh.data.runs.find((one) => one.run_id === run.run_id);
  return <Consequences revision={revision} analytics={fresh.data} run={same ?? run} />;
}

function Consequences({ revision, analytics, run }: ConsequencesProps) {
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
