import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { Icon } from '../../parts/icons.tsx';
import { t } from '../../i18n/translate.ts';
import { CorrectionDialog } from './correction-dialog.tsx';
import { PinDialog, UnpinDialog } from './pin-dialog.tsx';
import { RecallDialog } from './recall-dialog.tsx';

/** Pins, edits or deletes sent posts for everyone. Renders nothing if nothing was sent, or if the campaign is folded. */
export function RevisionButtons({ analytics }: { analytics: Analytics }) {
  const [asking, setAsking] = useState<'correct' | 'recall' | 'pin' | 'unpin'>();
  const { campaign, totals, groups } = analytics;
  const hasGroups = groups.some((group) => group.kind !== 'channel');
  const close = () => setAsking(undefined);
  if (totals.sent <= (totals.recalled ?? 0) || campaign.folded_at !== undefined) return null;
  return (
    <>
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
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="edit" size={14} />}
          onClick={() => setAsking('correct')}
        >
          {t('revise.correct.open')}
        </Button>
        <Button
          size="xs"
          variant="default"
          c="var(--failed)"
          leftSection={<Icon name="undo" size={14} />}
          onClick={() => setAsking('recall')}
        >
          {t('revise.recall.open')}
        </Button>
      </Group>
      <CorrectionDialog analytics={analytics} run={undefined} opened={asking === 'correct'} close={close} />
      <RecallDialog analytics={analytics} run={undefined} opened={asking === 'recall'} close={close} />
      <PinDialog analytics={analytics} run={undefined} opened={asking === 'pin'} close={close} />
      <UnpinDialog analytics={analytics} run={undefined} opened={asking === 'unpin'} close={close} />
    </>
  );
}
