import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { Icon } from '../../parts/icons.tsx';
import { words } from '../../words/words.ts';
import { CorrectionDialog } from './correction-dialog.tsx';
import { RecallDialog } from './recall-dialog.tsx';

/** Edits or deletes sent posts for everyone. Renders nothing if nothing was sent, or if the campaign is folded. */
export function RevisionButtons({ analytics }: { analytics: Analytics }) {
  const [asking, setAsking] = useState<'correct' | 'recall'>();
  const { campaign, totals } = analytics;
  const close = () => setAsking(undefined);
  if (totals.sent <= (totals.recalled ?? 0) || campaign.folded_at !== undefined) return null;
  return (
    <>
      <Group gap="xs" mt="sm">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="edit" size={14} />}
          onClick={() => setAsking('correct')}
        >
          {words.revise.correct.open}
        </Button>
        <Button
          size="xs"
          variant="default"
          c="var(--failed)"
          leftSection={<Icon name="undo" size={14} />}
          onClick={() => setAsking('recall')}
        >
          {words.revise.recall.open}
        </Button>
      </Group>
      <CorrectionDialog analytics={analytics} run={undefined} opened={asking === 'correct'} close={close} />
      <RecallDialog analytics={analytics} run={undefined} opened={asking === 'recall'} close={close} />
    </>
  );
}
