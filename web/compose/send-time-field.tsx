import { SegmentedControl, Stack, Text } from '@mantine/core';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { BestSlot } from './best-slot.tsx';
import ScheduleFields, { moveTo } from './schedule-fields.tsx';

/** Now, which `nowHint` explains, or at scheduled times. */
export default function SendTimeField({
  draft,
  update,
  nowHint,
}: {
  draft: Draft;
  update: (change: Partial<Draft>) => void;
  nowHint: string;
}) {
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('compose.when')}
        value={draft.isScheduled ? 'later' : 'now'}
        onChange={(value) => update({ isScheduled: value === 'later' })}
        data={[
          { value: 'now', label: t('compose.now') },
          { value: 'later', label: t('compose.later') },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {draft.isScheduled ? (
        <>
          <ScheduleFields draft={draft} update={update} />
          <BestSlot draft={draft} choose={({ date, time }) => update({ ...moveTo(draft, date), time })} />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {nowHint}
        </Text>
      )}
    </Stack>
  );
}
