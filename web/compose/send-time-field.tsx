import { SegmentedControl, Stack, Text } from '@mantine/core';
import { words } from '../words/words.ts';
import type { Draft } from './draft.ts';
import ScheduleFields from './schedule-fields.tsx';

/** Now, or at scheduled times. */
export default function SendTimeField({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={words.compose.when}
        value={draft.isScheduled ? 'later' : 'now'}
        onChange={(value) => update({ isScheduled: value === 'later' })}
        data={[
          { value: 'now', label: words.compose.now },
          { value: 'later', label: words.compose.later },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {draft.isScheduled ? (
        <ScheduleFields draft={draft} update={update} />
      ) : (
        <Text size="sm" c="dimmed">
          {words.compose.nowHint}
        </Text>
      )}
    </Stack>
  );
}
