import { ActionIcon, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
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
import { usePlan, type PlannedRun } from './use-plan.ts';

const VIEWS: readonly View[] = ['month', 'week'];

export default function CalendarPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const [view, setView] = useState<View>('month');
  const [shown, setShown] = useState(today);
  const { runs, error, isPending, retry } = usePlan();
  const days = daysOf(view, shown);
  const byDay = Map.groupBy(runs, (run) => dateIn(run.dueAt, zone));
  const move = (by: number) => setShown(view === 'week' ? addDays(shown, by * 7) : addMonths(shown, by));
  const isEmpty = !isPending && !error && days.every((day) => !byDay.has(day));

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
      {error !== null && <Failed error={error} retry={() => void retry()} />}
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
}: {
  day: string;
  today: string;
  isOutside: boolean;
  runs: readonly PlannedRun[];
}) {
  const zone = useZone();
  const names = ['calendar-day', isOutside && 'calendar-outside', runs.length === 0 && 'calendar-none'];
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
      {runs.map((run) => (
        <Link
          key={`${run.campaignId} ${run.dueAt}`}
          href={`/campaigns/${run.campaignId}`}
          className="chip"
          title={`${run.name}: ${words.status[run.status]}`}
        >
          <Dot tone={toneOfStatus(run.status)} label="" />
          <span className="chip-time">{clockTime(run.dueAt, zone)}</span>
          <span className="clip">{run.name}</span>
        </Link>
      ))}
    </div>
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
