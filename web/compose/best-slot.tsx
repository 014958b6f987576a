import { Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Report } from '../api/operations.ts';
import { addDays } from '../calendar/days.ts';
import { dateIn, dateName, timeOfDay, zoneName } from '../format/time.ts';
import { longWeekday } from '../format/weekday.ts';
import { useZone } from '../format/zone-context.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { findNextSlot, type Slot, type Wanted } from './next-slot.ts';

/** The report looks back so far. */
const DAYS_BACK = 90;
const WAIT_MS = 500;
const STALE_MS = 10 * 60_000;

/** When posts were read best, as the report has it, and the next day without a post to the chosen groups; one press takes it. */
export function BestSlot({ draft, choose }: { draft: Draft; choose: (slot: Slot) => void }) {
  const best = useBestTimes();
  const slot = useNextSlot(draft, best);
  const isKnown = best && (best.hours.best !== null || best.weekdays.best !== null);
  if (!isKnown && !slot) return null;
  return (
    <Stack gap={4} align="flex-start">
      {isKnown && (
        <Text size="sm">
          {describeBest(best, draft.timeZone)}{' '}
          <Text span c="dimmed" size="sm">
            {certaintyOf(best)}
          </Text>
        </Text>
      )}
      {slot && (
        <Button size="compact-sm" variant="default" onClick={() => choose(slot)}>
          {t('compose.nextSlot', { day: dateName(slot.date), time: timeOfDay(slot.time) })}
        </Button>
      )}
    </Stack>
  );
}

type Best = Pick<Report, 'hours' | 'weekdays' | 'time_zone'>;

const hourOf = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

/** "Best read: Tuesdays at 18:00" */
function describeBest({ hours, weekdays, time_zone: zone }: Best, ofSchedule: string): string {
  const time =
    hours.best === null ? '' : `${timeOfDay(hourOf(hours.best))}${zone === ofSchedule ? '' : ` ${zoneName(zone)}`}`;
  if (weekdays.best === null) return t('compose.bestRead.hour', { time });
  const weekday = longWeekday(weekdays.best);
  return hours.best === null
    ? t('compose.bestRead.weekday', { weekday })
    : t('compose.bestRead.both', { weekday, time });
}

/** In the words of the report, and of two what is less sure. */
function certaintyOf({ hours, weekdays }: Best): string {
  const known = [hours, weekdays].filter(({ best }) => best !== null);
  const shown = known.find(({ certainty }) => certainty === 'unclear') ?? known[0];
  const runs = shown?.times.reduce((sum, time) => sum + time.runs, 0) ?? 0;
  return shown ? t(`report.certainty.${shown.certainty}`, { runs }) : '';
}

function useBestTimes(): Best | undefined {
  const last = dateIn(new Date(useNow()), useZone());
  const span = { start_date: addDays(last, -DAYS_BACK), end_date: last };
  const { data } = useQuery({
    queryKey: ['report', 'best times', span],
    queryFn: ({ signal }) => call('analytics/get-report', { ...span, limit: 1 }, { signal }),
    staleTime: STALE_MS,
    // A workspace may have more posts than a report reads: then nothing is offered.
    retry: false,
  });
  return data;
}

function useNextSlot({ groups, time, timeZone: zone }: Draft, best: Best | undefined): Slot | undefined {
  const ids = groups.map((group) => group.group_metadata_id);
  const hour = best?.hours.best ?? null;
  const at = hour === null || !best ? { time, zone } : { time: hourOf(hour), zone: best.time_zone };
  // As a text: a list is another one in each rendering.
  const [key] = useDebouncedValue(JSON.stringify({ groupIds: ids, at, zone }), WAIT_MS);
  const wanted = JSON.parse(key) as Wanted;
  const { data } = useQuery({
    queryKey: ['runs', 'next slot', key],
    queryFn: async ({ signal }) => (await findNextSlot(wanted, signal)) ?? null,
    enabled: wanted.groupIds.length > 0 && /^\d\d:\d\d$/.test(wanted.at.time),
    staleTime: STALE_MS,
    retry: false,
  });
  return data ?? undefined;
}
