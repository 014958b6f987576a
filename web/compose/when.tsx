import { SegmentedControl, Stack, Text } from '@mantine/core';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import Schedule from './schedule.tsx';

/** Now, or on which days at what time where. */
export default function When({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
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
        <Schedule draft={draft} update={update} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('compose.nowHint')}
        </Text>
      )}
    </Stack>
  );
}
