import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { shortTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { t } from '../../i18n/translate.ts';
import { CorrectionDialog } from './correction-dialog.tsx';
import { PinDialog, UnpinDialog } from './pin-dialog.tsx';
import { RecallDialog } from './recall-dialog.tsx';
import { changeableUntil } from './revision-windows.ts';

/** Pins, edits or deletes sent posts for everyone, for those who may send. Renders nothing if nothing was sent, or if the campaign is folded. */
export function RevisionButtons(props: RevisionProps) {
  return useMay('manager') === false ? null : <Buttons {...props} />;
}

interface RevisionProps {
  analytics: Analytics;
  /** The post is a poll or an event, which can be deleted, but not edited. */
  asks: boolean;
}

function Buttons({ analytics, asks }: RevisionProps) {
  const [asking, setAsking] = useState<'correct' | 'recall' | 'pin' | 'unpin'>();
  const { campaign, totals, groups, runs } = analytics;
  const hasGroups = groups.some((group) => group.kind !== 'channel');
  const zone = useZone();
  const nowMs = useNow();
  const close = () => setAsking(undefined);
  if (totals.sent <= (totals.recalled ?? 0) || campaign.folded_at !== undefined) return null;
  // Posts that are still to be sent can be changed whatever became of the others.
  const isOpen = runs.some(({ status }) => status === 'planned' || status === 'running');
  const over = (asks ? (['recall'] as const) : (['correct', 'recall'] as const)).filter((revision) => {
    const until = changeableUntil(groups, revision);
    return !isOpen && until !== undefined && until.getTime() <= nowMs;
  });
  return (
    <>
      {over.map((revision) => (
        <Text key={revision} size="sm" c="dimmed" mt="sm">
          {t(`revise.${revision}.over`, {
            when: shortTime(changeableUntil(groups, revision) ?? new Date(nowMs), zone),
            window: t(`revise.window.${revision}`),
          })}
        </Text>
      ))}
      <Group gap="xs" mt="sm">
        {hasGroups && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="pin" size={14} />}
            onClick={() => setAsking('pin')}
          >
            {t('pin.open')}
          </Button>
        )}
        {(totals.pinned ?? 0) + (totals.pins_waiting ?? 0) > 0 && (
          <Button size="xs" variant="default" onClick={() => setAsking('unpin')}>
            {t('pin.unpinOpen')}
          </Button>
        )}
        {!asks && !over.includes('correct') && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="edit" size={14} />}
            onClick={() => setAsking('correct')}
          >
            {t('revise.correct.open')}
          </Button>
        )}
        {!over.includes('recall') && (
          <Button
            size="xs"
            variant="default"
            c="var(--failed)"
            leftSection={<Icon name="undo" size={14} />}
            onClick={() => setAsking('recall')}
          >
            {t('revise.recall.open')}
          </Button>
        )}
      </Group>
      <CorrectionDialog analytics={analytics} run={undefined} opened={asking === 'correct'} close={close} />
      <RecallDialog analytics={analytics} run={undefined} opened={asking === 'recall'} close={close} />
      <PinDialog analytics={analytics} run={undefined} opened={asking === 'pin'} close={close} />
      <UnpinDialog analytics={analytics} run={undefined} opened={asking === 'unpin'} close={close} />
    </>
  );
}
