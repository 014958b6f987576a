import { ActionIcon, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { dateIn, zoneName } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Icon } from '../parts/icons.tsx';
import { useNow } from '../parts/moment.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import classes from './calendar.module.css';
import { Day } from './day.tsx';
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
  const plan = usePlan(days[0] ?? today, days.at(-1) ?? today);
  const byDay = Map.groupBy(plan.data ?? [], (run) => dateIn(run.due_at, zone));
  const isEmpty = plan.isSuccess && !plan.isPlaceholderData && days.every((day) => !byDay.has(day));

  return (
    <Page
      title={words.pages.calendar}
      wide
      actions={<ViewChoice view={view} setView={setView} showToday={() => setShown(today)} />}
    >
      <Group justify="space-between" mb="sm">
        <Steps
          title={title(view, days, shown)}
          move={(by) => setShown(view === 'week' ? addDays(shown, by * 7) : addMonths(shown, by))}
        />
        <Text size="sm" c="dimmed">
          {words.calendar.zone(zone, zoneName(zone))}
        </Text>
      </Group>
      {plan.error !== null && <Failed error={plan.error} retry={() => void plan.refetch()} />}
      {plan.isPending ? (
        <RowsSkeleton rows={5} height={90} />
      ) : (
        <div className={classes.calendar} data-view={view} role="list" aria-label={words.pages.calendar}>
          {words.weekdays.map((day) => (
            <div key={day} className={classes.weekday} aria-hidden="true">
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
        <Empty title={words.calendar.nothing} link={{ href: '/campaigns/new', label: words.shell.newCampaign }}>
          {words.calendar.nothingHint}
        </Empty>
      )}
    </Page>
  );
}

function ViewChoice({
  view,
  setView,
  showToday,
}: {
  view: View;
  setView: (view: View) => void;
  showToday: () => void;
}) {
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={words.calendar.view}
        value={view}
        onChange={(value) => setView(VIEWS.find((one) => one === value) ?? 'month')}
        data={VIEWS.map((value) => ({ value, label: words.calendar.views[value] }))}
      />
      <Button size="xs" variant="default" onClick={showToday}>
        {words.calendar.today}
      </Button>
    </>
  );
}

/** To the month or week before and after; `move` is given -1 or 1. */
function Steps({ title: shown, move }: { title: string; move: (by: number) => void }) {
  return (
    <Group gap="xs">
      <ActionIcon variant="default" aria-label={words.calendar.before} onClick={() => move(-1)}>
        <Icon name="left" size={16} />
      </ActionIcon>
      <Text fw={600} aria-live="polite" miw={170} ta="center">
        {shown}
      </Text>
      <ActionIcon variant="default" aria-label={words.calendar.after} onClick={() => move(1)}>
        <Icon name="right" size={16} />
      </ActionIcon>
    </Group>
  );
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
