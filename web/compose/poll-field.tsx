import { ActionIcon, Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import { MOST_OPTIONS, OPTION_LIMIT, QUESTION_LIMIT, type DraftPoll } from './ballot.ts';

const FEWEST_OPTIONS = 2;
/** The ends to choose from, in hours. */
const ENDS = [1, 6, 24, 48, 72, 168, 336];
const DAY_HOURS = 24;

/** The question and options of a poll. */
export default function PollField({ poll, onChange }: { poll: DraftPoll; onChange: (poll: DraftPoll) => void }) {
  const { question, options, multiple, open_hours: openHours, names_voters: namesVoters } = poll;
  const change = (next: Partial<DraftPoll>) => onChange({ ...poll, ...next });
  const ends = openHours === null || ENDS.includes(openHours) ? ENDS : [...ENDS, openHours].toSorted((a, b) => a - b);
  return (
    <Stack gap="sm">
      <TextInput
        label={t('compose.poll.question')}
        maxLength={QUESTION_LIMIT}
        value={question}
        onChange={(event) => change({ question: event.currentTarget.value })}
      />
      <Options options={options} onChange={(next) => change({ options: next })} />
      <Checkbox
        label={t('compose.poll.multiple')}
        checked={multiple}
        onChange={(event) => change({ multiple: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('compose.poll.namesVoters')}
        description={t('compose.poll.namesVotersHint')}
        checked={namesVoters}
        onChange={(event) => change({ names_voters: event.currentTarget.checked })}
      />
      <Select
        label={t('compose.poll.open')}
        data={[
          { value: '', label: t('compose.poll.noEnd') },
          ...ends.map((hours) => ({ value: String(hours), label: spanOf(hours) })),
        ]}
        value={openHours === null ? '' : String(openHours)}
        onChange={(hours) => change({ open_hours: hours ? Number(hours) : null })}
        allowDeselect={false}
      />
    </Stack>
  );
}

function Options({ options, onChange }: { options: string[]; onChange: (options: string[]) => void }) {
  const setOption = (index: number, option: string) =>
    onChange(options.map((one, at) => (at === index ? option : one)));
  return (
    <Stack gap={6} role="group" aria-label={t('compose.poll.options')}>
      {options.map((option, index) => (
        // Options have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t('compose.poll.option', { number: String(index + 1) })}
            placeholder={t('compose.poll.option', { number: String(index + 1) })}
            maxLength={OPTION_LIMIT}
            flex={1}
            value={option}
            onChange={(event) => setOption(index, event.currentTarget.value)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('compose.poll.removeOption', { number: String(index + 1) })}
            disabled={options.length <= FEWEST_OPTIONS}
            onClick={() => onChange(options.toSpliced(index, 1))}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          disabled={options.length >= MOST_OPTIONS}
          onClick={() => onChange([...options, ''])}
        >
          {t('compose.poll.addOption')}
        </Button>
      </Group>
    </Stack>
  );
}

function spanOf(hours: number): string {
  return hours % DAY_HOURS === 0 && hours > DAY_HOURS
    ? t('compose.poll.days', { days: hours / DAY_HOURS })
    : t('compose.poll.hours', { hours });
}
