import { Box, Button, Collapse, Text } from '@mantine/core';
import { Calendar } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { dateName } from '../format/time.ts';
import { t } from '../i18n/translate.ts';
import { DATE_PICKER_FORMAT } from './date-picker-format.ts';
import type { Draft } from './draft.ts';
import { listDays, listSkipped, toggleDay } from './schedule-days.ts';
import { SkipHolidays } from './skip-holidays.tsx';
import classes from './skip-days.module.css';

/** A calendar with the days of the schedule: tapping one leaves it out, or takes it in again. */
export function SkipDays({ draft, update }: { draft: Draft; update: (change: Partial<Draft>) => void }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const days = listDays(draft);
  const skipped = listSkipped(draft);
  const first = days[0] ?? '';
  return (
    <div>
      <Button size="compact-sm" variant="default" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        {t('compose.skip.open')}
      </Button>
      {skipped.length > 0 && (
        <Text size="sm" mt={6}>
          {t('compose.skip.days', { days: skipped.length, list: skipped.map(dateName).join(' · ') })}
        </Text>
      )}
      <Collapse expanded={isOpen} id={id}>
        <Text size="sm" c="dimmed" mt="xs">
          {t('compose.skip.hint')}
        </Text>
        <Box role="group" aria-label={t('compose.skip.open')} mt="xs">
          <Calendar
            // Starts again where the schedule starts.
            key={first}
            defaultDate={first}
            minDate={first}
            maxDate={days.at(-1) ?? first}
            firstDayOfWeek={1}
            weekendDays={[]}
            {...DATE_PICKER_FORMAT}
            hideOutsideDates
            maxLevel="month"
            ariaLabels={{ nextMonth: t('datePicker.nextMonth'), previousMonth: t('datePicker.previousMonth') }}
            getDayProps={(day) => {
              const isOn = days.includes(day.slice(0, 10));
              const isSkipped = skipped.includes(day.slice(0, 10));
              return {
                disabled: !isOn,
                selected: isOn && !isSkipped,
                className: isSkipped ? classes.skipped : undefined,
                'aria-pressed': isOn ? !isSkipped : undefined,
                onClick: () => update({ skipDates: toggleDay(draft.skipDates, day.slice(0, 10)) }),
              };
            }}
          />
        </Box>
        {isOpen && (
          <SkipHolidays
            days={days}
            skipped={skipped}
            zone={draft.timeZone}
            onSkip={(dates) => update({ skipDates: [...draft.skipDates, ...dates].toSorted() })}
          />
        )}
      </Collapse>
    </div>
  );
}
