import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Analytics, GroupRow, Run } from '../../api/operations.ts';
import { analyticsQuery } from '../../api/queries.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { ErrorText } from '../../parts/error-alert.tsx';
import { PartSkeleton } from '../../parts/page.tsx';
import { Receipt } from '../../parts/receipt.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { t } from '../../i18n/translate.ts';
import { countInTime, type Revision } from './revision-windows.ts';

interface ConsequencesProps {
  revision: Revision;
  analytics: Analytics;
  /** The whole campaign if undefined. */
  run: Run | undefined;
  /** The post. */
  children?: ReactNode;
}

/**
 * A receipt of a recall or correction, of one run or of the whole campaign. Its figures are counted once those of this moment are
 * there: those of the page may be older than the last posts. Mount it when its dialog opens.
 */
export function RevisionConsequences({ revision, analytics, run, children }: ConsequencesProps) {
  const [openedAt] = useState(Date.now);
  const { campaign_id: id } = analytics.campaign;
  const fresh = useQuery({ ...analyticsQuery(id), refetchOnMount: 'always' });
  if (fresh.isError) return <ErrorText error={fresh.error} />;
  if (!fresh.data || fresh.dataUpdatedAt < openedAt) return <PartSkeleton height={88} />;
  const same = run && fresh.data.runs.find((one) => one.run_id === run.run_id);
  return (
    <Consequences revision={revision} analytics={fresh.data} run={same ?? run}>
      {children}
    </Consequences>
  );
}

function Consequences({ revision, analytics, run, children }: ConsequencesProps) {
  const zone = useZone();
  const nowMs = useNow();
  const sent = analytics.groups.filter((group) => group.sent > (group.recalled ?? 0));
  const members = sent.reduce((sum, group) => sum + (group.participants ?? 0), 0);
  // The figures of one run are not known by group.
  const figures = run
    ? [t('campaigns.groups', { groups: run.sent })]
    : [t('campaigns.groups', { groups: sent.length }), t('compose.summary.members', { members })];
  const warnings: string[] = [];
  const lines: string[] = [];
  if (run) {
    lines.push(
      t(`revise.${revision}.ofRun`, { time: exactTime(run.due_at, zone), groups: run.sent }),
      t(`revise.window.${revision}`),
    );
    if (run.status === 'running') warnings.push(t(`revise.${revision}.restOfRun`));
  } else {
    const { there, inTime } = countInTime(analytics.groups, revision, nowMs);
    const window = t(`revise.window.${revision}`);
    if (there > inTime) warnings.push(t('revise.tooLate', { groups: there - inTime, window }));
    const isOpen = analytics.runs.some(({ status }) => status === 'planned' || status === 'running');
    if (isOpen) warnings.push(t(`revise.${revision}.rest`));
    lines.push(...describeSent(sent, zone), t(`revise.${revision}.ofAll`, { groups: there }));
    if (there === inTime) lines.push(window);
  }
  lines.push(t(`revise.${revision}.seen`));
  return (
    <Receipt warnings={warnings} figures={figures} lines={lines}>
      {children}
    </Receipt>
  );
}

/** When the first and the last of these posts were sent. */
function describeSent(groups: readonly GroupRow[], zone: string): string[] {
  const first = groups.flatMap((group) => group.first_sent_at ?? []).toSorted()[0];
  const last = groups
    .flatMap((group) => group.last_sent_at ?? [])
    .toSorted()
    .at(-1);
  if (first === undefined || last === undefined) return [];
  const [from, to] = [exactTime(first, zone), exactTime(last, zone)];
  return [from === to ? t('revise.sentAt', { at: from }) : t('revise.sentFromTo', { from, to })];
}
