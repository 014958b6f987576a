import '@mantine/dates/styles.layer.css';
import { Button, Chip, Group, NativeSelect, Textarea } from '@mantine/core';
import { DatePickerInput, TimeInput } from '@mantine/dates';
import { useId, useState } from 'react';
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
import { dayName, ORDINALS, readMonthly, writeMonthly, type MonthlyRule } from './rule.ts';
import { SkipDays } from './skip-days.tsx';

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const WEEKS = [1, 2, 3, 4, 6, 8, 12, 26, 52];

/** The days, time and zone of the schedule. */
export default function ScheduleFields({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  const today = dateIn(new Date(useNow()), draft.timeZone);
  const { startDate } = draft;
  const isRule = draft.recurrence !== null;
  // A rule that is typed stays a text, also while it is one that the form could build.
  const [isTyped, setTyped] = useState(findPreset(draft) === 'rule');
  const isRepeated = startDate !== null && (isRule || (draft.endDate !== null && draft.endDate > startDate));
  return (
    <>
      <Presets draft={draft} update={update} today={today} isTyped={isTyped} setTyped={setTyped} />
      <Group gap="sm" align="flex-start">
        <DayField
          label={t('fields.start_date')}
          placeholder={t('compose.chooseDay')}
          value={startDate}
          onChange={(day) => day !== null && update(moveTo(draft, day))}
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
      {isRule && <RuleFields recurrence={draft.recurrence ?? ''} isTyped={isTyped} update={update} />}
      {isRepeated && !isRule && (
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
  const isRule = draft.recurrence !== null;
  return (
    <Group gap="sm" align="flex-start">
      <DayField
        label={t('fields.end_date')}
        placeholder={t(isRule ? 'compose.noEnd' : 'compose.sameDay')}
        value={draft.endDate}
        onChange={(endDate) => update(isRule ? { endDate } : changeRange({ startDate, endDate }, draft.weekdays))}
        minDate={startDate}
        {...(!isRule && { maxDate: latestEnd(startDate) })}
        clearable
      />
      {!isRule && (
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
      )}
    </Group>
  );
}

/** Returns the days of the schedule with another first day. */
export function moveTo(draft: Draft, startDate: string): Partial<Draft> {
  const { endDate, recurrence, weekdays } = draft;
  if (recurrence === null) return changeRange(moveStart(draft, startDate), weekdays);
  return { startDate, ...(endDate !== null && endDate < startDate && { endDate: null }) };
}

/** A day of the month, or any rule. */
function RuleFields({
  recurrence,
  isTyped,
  update,
}: {
  recurrence: string;
  isTyped: boolean;
  update: (change: Partial<Draft>) => void;
}) {
  const monthly = readMonthly(recurrence);
  if (!monthly || isTyped)
    return (
      <Textarea
        label={t('compose.rule')}
        description={t('compose.ruleHint')}
        value={recurrence}
        onChange={({ currentTarget }) => update({ recurrence: currentTarget.value })}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    );
  const change = (part: Partial<MonthlyRule>) => update({ recurrence: writeMonthly({ ...monthly, ...part }) });
  return (
    <Group gap="sm" align="flex-start">
      <NativeSelect
        label={t('compose.which')}
        value={monthly.ordinal}
        onChange={({ currentTarget: { value } }) => change({ ordinal: ORDINALS.find((one) => one === value) ?? '1' })}
        data={ORDINALS.map((value) => ({ value, label: t(`compose.ordinals.${value}`) }))}
      />
      <NativeSelect
        label={t('compose.dayOfMonth')}
        value={String(monthly.day)}
        onChange={({ currentTarget: { value } }) => change({ day: Number(value) })}
        data={[...DAYS, 0].map((day) => ({ value: String(day), label: dayName(day) }))}
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

function Presets({
  draft,
  update,
  today,
  isTyped,
  setTyped,
}: {
  draft: Draft;
  update: (change: Partial<Draft>) => void;
  today: string;
  isTyped: boolean;
  setTyped: (isTyped: boolean) => void;
}) {
  const found = findPreset(draft);
  const chosen = found === 'monthly' && isTyped ? 'rule' : found;
  return (
    <Group gap={6} role="group" aria-label={t('compose.repeat')}>
      {PRESETS.map((preset) => (
        <Button
          key={preset}
          size="compact-sm"
          variant={chosen === preset ? 'filled' : 'default'}
          aria-pressed={chosen === preset}
          onClick={() => {
            setTyped(preset === 'rule');
            update(applyPreset(preset, draft, addDays(today, 1)));
          }}
        >
          {t(`compose.presets.${preset}`)}
        </Button>
      ))}
    </Group>
  );
}
