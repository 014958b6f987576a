import { SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { instantOf, localTime } from '../format/local-time.ts';
import { t } from '../i18n/translate.ts';
import type { DraftEvent } from './ballot.ts';

const NAME_LIMIT = 100;
const DESCRIPTION_LIMIT = 2_048;
const PLACE_LIMIT = 200;

/** Name, time and place of an event. Times are entered in the zone of the draft. */
export default function EventField({
  event,
  timeZone,
  onChange,
}: {
  event: DraftEvent;
  timeZone: string;
  onChange: (event: DraftEvent) => void;
}) {
  const change = (next: Partial<DraftEvent>) => onChange({ ...event, ...next });
  const toInstant = (local: string) => instantOf(local, timeZone)?.toISOString() ?? null;
  const toLocal = (instant: string | null) => (instant === null ? '' : localTime(new Date(instant), timeZone));
  return (
    <Stack gap="sm">
      <TextInput
        label={t('compose.event.name')}
        maxLength={NAME_LIMIT}
        value={event.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          type="datetime-local"
          label={t('compose.event.start')}
          description={timeZone}
          value={toLocal(event.start_at)}
          onChange={({ currentTarget: { value } }) => change({ start_at: toInstant(value) })}
        />
        <TextInput
          type="datetime-local"
          label={t('compose.event.end')}
          description={t('compose.event.optional')}
          value={toLocal(event.end_at)}
          onChange={({ currentTarget: { value } }) => change({ end_at: toInstant(value) })}
        />
      </SimpleGrid>
      <TextInput
        label={t('compose.event.place')}
        description={t('compose.event.optional')}
        maxLength={PLACE_LIMIT}
        value={event.place ?? ''}
        onChange={({ currentTarget: { value } }) => change({ place: value || null })}
      />
      <Textarea
        label={t('compose.event.description')}
        description={t('compose.event.optional')}
        maxLength={DESCRIPTION_LIMIT}
        autosize
        minRows={2}
        value={event.description ?? ''}
        onChange={({ currentTarget: { value } }) => change({ description: value || null })}
      />
    </Stack>
  );
}
