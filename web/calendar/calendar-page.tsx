import { ActionIcon, Button, Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { PlannedRun } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { clockTime, dateIn, zoneName } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icons.tsx';
import { useNow } from '../parts/moment.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import { toneOfStatus } from '../parts/tone.ts';
import { words } from '../words/words.ts';
import { addDays, addMonths, daysOf, type View } from './days.ts';
import { usePlan } from './use-plan.ts';

/** More of them on a day of a month would make its row taller than a screen. */
const MOST_CHIPS = 4;

const VIEWS: readonly View[] = ['month', 'week'];

export default function CalendarPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const [view, setView] = useState<View>('month');
  const [shown, setShown] = useState(today);
  const days = daysOf(view, shown);
  const {
    data: runs = [],
    error,
    isPending,
    isPlaceholderData,
    refetch,
  } = usePlan(days[0] ?? today, days.at(-1) ?? today);
  const byDay = Map.groupBy(runs, (run) => dateIn(run.due_at, zone));
  const move = (by: number) => setShown(view === 'week' ? addDays(shown, by * 7) : addMonths(shown, by));
  const isEmpty = !isPending && !isPlaceholderData && !error && days.every((day) => !byDay.has(day));

  return (
    <Page
      title={words.pages.calendar}
      wide
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={words.calendar.view}
            value={view}
            onChange={(value) => setView(VIEWS.find((one) => one === value) ?? 'month')}
            data={VIEWS.map((value) => ({ value, label: words.calendar.views[value] }))}
          />
          <Button size="xs" variant="default" onClick={() => setShown(today)}>
            {words.calendar.today}
          </Button>
        </>
      }
    >
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <ActionIcon variant="default" aria-label={words.calendar.before} onClick={() => move(-1)}>
            <Icon name="left" size={16} />
          </ActionIcon>
          <Text fw={600} aria-live="polite" miw={170} ta="center">
            {title(view, days, shown)}
          </Text>
          <ActionIcon variant="default" aria-label={words.calendar.after} onClick={() => move(1)}>
            <Icon name="right" size={16} />
          </ActionIcon>
        </Group>
        <Text size="sm" c="dimmed">
          {words.calendar.zone(zone, zoneName(zone))}
        </Text>
      </Group>
      {error !== null && <Failed error={error} retry={() => void refetch()} />}
      {isPending ? (
        <RowsSkeleton rows={5} height={90} />
      ) : (
        <div className={`calendar calendar-${view}`} role="list" aria-label={words.pages.calendar}>
          {words.weekdays.map((day) => (
            <div key={day} className="calendar-head" aria-hidden="true">
              {day}
            </div>
          ))}
          {days.map((day) => (
            <Day
              key={day}
              day={day}
              today={today}
              isOutside={view === 'month' && day.slice(0, 7) !== shown.slice(0, 7)}
              runs={byDay.get(day) ?? []}
              most={view === 'month' ? MOST_CHIPS : Infinity}
              showAll={() => {
                setShown(day);
                setView('week');
              }}
            />
          ))}
        </div>
      )}
      {isEmpty && (
        <Empty
          title={words.calendar.nothing}
          action={
            <Button component={Link} href="/campaigns/new">
              {words.shell.newCampaign}
            </Button>
          }
        >
          {words.calendar.nothingHint}
        </Empty>
      )}
    </Page>
  );
}

function Day({
  day,
  today,
  isOutside,
  runs,
  most,
  showAll,
}: {
  day: string;
  today: string;
  isOutside: boolean;
  runs: readonly PlannedRun[];
  most: number;
  showAll: () => void;
}) {
  const names = ['calendar-day', isOutside && 'calendar-outside', runs.length === 0 && 'calendar-none'];
  const shown = runs.length > most ? runs.slice(0, most - 1) : runs;
  const hidden = runs.length - shown.length;
  return (
    <div
      role="listitem"
      className={names.filter(Boolean).join(' ')}
      aria-label={longDay(day)}
      aria-current={day === today ? 'date' : undefined}
    >
      <span className="calendar-date">
        {Number(day.slice(8))}
        <span className="calendar-long">{longDay(day)}</span>
      </span>
      {shown.map((run) => (
        <RunChip key={run.run_id} run={run} />
      ))}
      {hidden !== 0 && (
        <UnstyledButton className="chip-more" onClick={showAll}>
          {words.calendar.more(count(hidden))}
        </UnstyledButton>
      )}
    </div>
  );
}

function RunChip({ run }: { run: PlannedRun }) {
  const zone = useZone();
  const status = run.status === 'planned' && run.campaign_status === 'paused' ? 'paused' : run.status;
  const time = clockTime(run.due_at, zone);
  return (
    <Link
      href={`/campaigns/${run.campaign_id}`}
      className={`chip chip-${toneOfStatus(status)}`}
      title={`${run.name}: ${words.status[status]}`}
    >
      <Dot tone={toneOfStatus(status)} label="" />
      <span className="chip-time">{time}</span>
      <span className="clip">{run.name}</span>
      <span className="visually-hidden">({words.status[status]})</span>
    </Link>
  );
}

function longDay(day: string): string {
  return new Intl.DateTimeFormat(words.locale, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(`${day}T00:00:00Z`));
}

function title(view: View, days: readonly string[], shown: string): string {
  const format = new Intl.DateTimeFormat(words.locale, { timeZone: 'UTC', month: 'long', year: 'numeric' });
  if (view === 'month') return format.format(new Date(`${shown}T00:00:00Z`));
  const range = new Intl.DateTimeFormat(words.locale, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return range.formatRange(new Date(`${days[0]}T00:00:00Z`), new Date(`${days.at(-1)}T00:00:00Z`));
}
