import '@mantine/dates/styles.layer.css';
import { Button, Chip, Group } from '@mantine/core';
import { DatePickerInput, TimeInput } from '@mantine/dates';
import { useId } from 'react';
import { addDays } from '../calendar/days.ts';
import { dateIn } from '../format/time.ts';
import boxClasses from '../parts/box.module.css';
import { useNow } from '../parts/relative-time.tsx';
import { ZonePicker } from '../parts/zone-picker.tsx';
import { words } from '../words/words.ts';
import type { Draft } from './draft.ts';
import { applyPreset, PRESETS, findPreset } from './schedule-presets.ts';
import { DATE_PICKER_FORMAT, formatRange } from './date-picker-format.ts';

const DAYS = [1, 2, 3, 4, 5, 6, 7];

/** The days, time and zone of the schedule. */
export default function ScheduleFields({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  const nowMs = useNow();
  const daysId = useId();
  return (
    <>
      <Presets draft={draft} update={update} today={dateIn(new Date(nowMs), draft.timeZone)} />
      <Group gap="sm" align="flex-start">
        <DatePickerInput
          // One id for both, so that the popover is labelled like the field.
          id={daysId}
          popoverProps={{ id: daysId }}
          type="range"
          label={words.compose.days}
          placeholder={words.compose.daysHint}
          value={[draft.startDate, draft.endDate]}
          onChange={([startDate, endDate]) => update({ startDate, endDate })}
          minDate={dateIn(new Date(nowMs), draft.timeZone)}
          firstDayOfWeek={1}
          // Mantine's red for weekends is too faint, and weekends are not special here.
          weekendDays={[]}
          allowSingleDateInRange
          valueFormatter={({ date }) => (Array.isArray(date) ? formatRange(date) : '')}
          {...DATE_PICKER_FORMAT}
          hideOutsideDates
          // Only paging by month: replacing the view would lose the focus.
          maxLevel="month"
          className={boxClasses.grow}
          ariaLabels={words.datePicker}
        />
        <TimeInput
          label={words.compose.time}
          value={draft.time}
          onChange={(event) => update({ time: event.currentTarget.value })}
        />
        <ZonePicker value={draft.timeZone} onChange={(timeZone) => update({ timeZone })} />
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

function Presets({ draft, update, today }: { draft: Draft; update: (change: Partial<Draft>) => void; today: string }) {
  const chosen = findPreset(draft);
  return (
    <Group gap={6} role="group" aria-label={words.compose.repeat}>
      {PRESETS.map((preset) => (
        <Button
          key={preset}
          size="compact-sm"
          variant={chosen === preset ? 'filled' : 'default'}
          aria-pressed={chosen === preset}
          onClick={() => update(applyPreset(preset, draft, addDays(today, 1)))}
        >
          {words.compose.presets[preset]}
        </Button>
      ))}
    </Group>
  );
}
