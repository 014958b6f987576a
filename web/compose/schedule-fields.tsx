import '@mantine/dates/styles.layer.css';
import { Button, Chip, Group, NativeSelect } from '@mantine/core';
import { DatePickerInput, TimeInput } from '@mantine/dates';
import { useId } from 'react';
import { addDays } from '../calendar/days.ts';
import { dateIn } from '../format/time.ts';
import boxClasses from '../parts/box.module.css';
import { useNow } from '../parts/relative-time.tsx';
import { ZonePicker } from '../parts/zone-picker.tsx';
import { namesOfDays } from '../format/weekday.ts';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { changeRange, endAfterWeeks, latestEnd, listDays, moveStart, weeksOf } from './schedule-days.ts';
import { applyPreset, PRESETS, findPreset } from './schedule-presets.ts';
import { DATE_PICKER_FORMAT, writeDate } from './date-picker-format.ts';
import { SkipDays } from './skip-days.tsx';

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const WEEKS = [1, 2, 3, 4, 6, 8, 12, 26, 52];

/** The days, time and zone of the schedule. */
export default function ScheduleFields({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  const today = dateIn(new Date(useNow()), draft.timeZone);
  const { startDate } = draft;
  const isRepeated = startDate !== null && draft.endDate !== null && draft.endDate > startDate;
  return (
    <>
      <Presets draft={draft} update={update} today={today} />
      <Group gap="sm" align="flex-start">
        <DayField
          label={t('fields.start_date')}
          placeholder={t('compose.chooseDay')}
          value={startDate}
          onChange={(day) => day !== null && update(changeRange(moveStart(draft, day), draft.weekdays))}
          minDate={today}
        />
        <TimeInput
          label={t('compose.time')}
          value={draft.time}
          onChange={(event) => update({ time: event.currentTarget.value })}
        />
        <ZonePicker value={draft.timeZone} onChange={(timeZone) => update({ timeZone })} />
      </Group>
      {startDate !== null && <EndFields draft={draft} startDate={startDate} update={update} />}
      {isRepeated && (
        <div role="group" aria-label={t('compose.weekdays')}>
          <Chip.Group
            multiple
            value={draft.weekdays.map(String)}
            onChange={(values) => update({ weekdays: values.map(Number).toSorted((a, b) => a - b) })}
          >
            <Group gap={6}>
              {DAYS.map((day) => (
                <Chip key={day} value={String(day)} size="xs" variant="outline">
                  {namesOfDays([day])}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </div>
      )}
      {isRepeated && listDays(draft).length > 1 && <SkipDays draft={draft} update={update} />}
    </>
  );
}

/** The end of the schedule, as a day or as a number of weeks. */
function EndFields({
  draft,
  startDate,
  update,
}: {
  draft: Draft;
  startDate: string;
  update: (change: Partial<Draft>) => void;
}) {
  const weeks = weeksOf(draft);
  return (
    <Group gap="sm" align="flex-start">
      <DayField
        label={t('fields.end_date')}
        placeholder={t('compose.sameDay')}
        value={draft.endDate}
        onChange={(endDate) => update(changeRange({ startDate, endDate }, draft.weekdays))}
        minDate={startDate}
        maxDate={latestEnd(startDate)}
        clearable
      />
      <NativeSelect
        label={t('compose.lasts')}
        value={weeks !== undefined && WEEKS.includes(weeks) ? String(weeks) : ''}
        onChange={({ currentTarget: { value } }) =>
          value !== '' && update({ endDate: endAfterWeeks(startDate, Number(value)) })
        }
        data={[
          { value: '', label: t('compose.lastsOther') },
          ...WEEKS.map((many) => ({ value: String(many), label: t('compose.lastsWeeks', { weeks: many }) })),
        ]}
      />
    </Group>
  );
}

function DayField({
  label,
  placeholder,
  value,
  onChange,
  minDate,
  maxDate,
  clearable = false,
}: {
  label: string;
  placeholder: string;
  value: string | null;
  onChange: (day: string | null) => void;
  minDate: string;
  maxDate?: string;
  clearable?: boolean;
}) {
  const id = useId();
  return (
    <DatePickerInput
      // One id for both, so that the popover is labelled like the field.
      id={id}
      popoverProps={{ id }}
      label={label}
      placeholder={placeholder}
      value={value}
      onChange={onChange}
      minDate={minDate}
      {...(maxDate !== undefined && { maxDate })}
      clearable={clearable}
      clearButtonProps={{ 'aria-label': t('common.clear') }}
      firstDayOfWeek={1}
      // Mantine's red for weekends is too faint, and weekends are not special here.
      weekendDays={[]}
      valueFormatter={({ date }) => (typeof date === 'string' ? writeDate(date) : '')}
      {...DATE_PICKER_FORMAT}
      hideOutsideDates
      // Only paging by month: replacing the view would lose the focus.
      maxLevel="month"
      className={boxClasses.grow}
      ariaLabels={{ nextMonth: t('datePicker.nextMonth'), previousMonth: t('datePicker.previousMonth') }}
    />
  );
}

function Presets({ draft, update, today }: { draft: Draft; update: (change: Partial<Draft>) => void; today: string }) {
  const chosen = findPreset(draft);
  return (
    <Group gap={6} role="group" aria-label={t('compose.repeat')}>
      {PRESETS.map((preset) => (
        <Button
          key={preset}
          size="compact-sm"
          variant={chosen === preset ? 'filled' : 'default'}
          aria-pressed={chosen === preset}
          onClick={() => update(applyPreset(preset, draft, addDays(today, 1)))}
        >
          {t(`compose.presets.${preset}`)}
        </Button>
      ))}
    </Group>
  );
}
