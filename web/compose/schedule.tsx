import '@mantine/dates/styles.layer.css';
import { Chip, Group, Select } from '@mantine/core';
import { DatePickerInput, TimeInput } from '@mantine/dates';
import { allZones, browserZone, dateIn } from '../format/time.ts';
import boxClasses from '../parts/box.module.css';
import { useNow } from '../parts/moment.tsx';
import { words } from '../words/words.ts';
import type { Draft } from './draft.ts';

const DAYS = [1, 2, 3, 4, 5, 6, 7];

/** On which days at what time where. */
export default function Schedule({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  const nowMs = useNow();
  return (
    <>
      <Group gap="sm" align="flex-start">
        <DatePickerInput
          type="range"
          label={words.compose.days}
          placeholder={words.compose.daysHint}
          value={[draft.startDate, draft.endDate]}
          onChange={([startDate, endDate]) => update({ startDate, endDate })}
          minDate={dateIn(new Date(nowMs), draft.timeZone)}
          firstDayOfWeek={1}
          allowSingleDateInRange
          valueFormat="D MMM YYYY"
          hideOutsideDates
          className={boxClasses.grow}
          ariaLabels={words.datePicker}
        />
        <TimeInput
          label={words.compose.time}
          value={draft.time}
          onChange={(event) => update({ time: event.currentTarget.value })}
        />
        <Select
          label={words.fields.time_zone}
          data={allZones(draft.timeZone, browserZone())}
          value={draft.timeZone}
          onChange={(zone) => zone !== null && update({ timeZone: zone })}
          searchable
          allowDeselect={false}
          limit={60}
        />
      </Group>
      <div role="group" aria-label={words.compose.weekdays}>
        <Chip.Group
          multiple
          value={draft.weekdays.map(String)}
          onChange={(values) => update({ weekdays: values.map(Number).toSorted((a, b) => a - b) })}
        >
          <Group gap={6}>
            {DAYS.map((day) => (
              <Chip key={day} value={String(day)} size="xs" variant="outline">
                {words.weekdays[day - 1]}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </div>
    </>
  );
}
