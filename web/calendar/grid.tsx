import { Group } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { PlannedRun } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { clockTime, dateIn, hourIn } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { Status } from '../parts/status.tsx';
import { statusOfRun } from '../parts/status-tone.ts';
import { weekdayNames } from '../format/weekday.ts';
import { t } from '../i18n/translate.ts';
import classes from './calendar.module.css';
import { Day, MoreRuns, RunChip } from './day.tsx';
import { ListLegend, useMarkedLists } from './list-mark.tsx';

/** More of them would make a row of the month taller than a screen. */
const MOST_CHIPS = 4;
/** As in the style sheet. */
const LIST = '(max-width: 760px)';
/** The hours that a week always shows. */
const [FIRST_HOUR, LAST_HOUR] = [8, 18];

interface Grid {
  days: readonly string[];
  today: string;
  runs: readonly PlannedRun[];
  /** Called with the id of a run that is dropped on a day. */
  drop: (runId: number, day: string) => void;
}

export function Month({ days, today, runs, drop, showWeek }: Grid & { showWeek: (day: string) => void }) {
  const zone = useZone();
  const maySend = useMay('manager') !== false;
  const listOf = useMarkedLists();
  const byDay = Map.groupBy(runs, (run) => dateIn(run.due_at, zone));
  const grid = useRef<HTMLDivElement>(null);
  // On a phone the month is a list, which would open at its first day.
  useEffect(() => {
    if (matchMedia(LIST).matches) grid.current?.querySelector('[aria-current=date]')?.scrollIntoView();
  }, []);
  return (
    <div ref={grid} className={classes.calendar} data-view="month" role="list" aria-label={t('pages.calendar')}>
      <Weekdays />
      {days.map((day) => {
        const own = byDay.get(day) ?? [];
        const shown = own.length > MOST_CHIPS ? own.slice(0, MOST_CHIPS - 1) : own;
        return (
          <Day key={day} {...{ day, today, drop }} isEmpty={own.length === 0}>
            {shown.map((run) => (
              <RunChip key={run.run_id} run={run} list={listOf(run)} maySend={maySend} />
            ))}
            {own.length > shown.length && <MoreRuns runs={own.slice(shown.length)} show={() => showWeek(day)} />}
          </Day>
        );
      })}
    </div>
  );
}

/** Each run in the row of its hour; the row is as tall as its fullest day. */
export function Week({ days, today, runs, drop }: Grid) {
  const zone = useZone();
  const maySend = useMay('manager') !== false;
  const listOf = useMarkedLists();
  const hourOf = (run: PlannedRun) => hourIn(run.due_at, zone);
  const used = runs.map(hourOf);
  const first = Math.min(FIRST_HOUR, ...used);
  const last = Math.max(LAST_HOUR, ...used);
  const hours = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const rows = { gridRow: `2 / span ${hours.length + 1}` };
  const byDay = Map.groupBy(runs, (run) => dateIn(run.due_at, zone));
  return (
    <div
      className={classes.calendar}
      data-view="week"
      role="list"
      aria-label={t('pages.calendar')}
      style={{ gridTemplateRows: `auto auto repeat(${hours.length}, minmax(36px, auto))` }}
    >
      <div className={classes.weekday} aria-hidden="true" />
      <Weekdays />
      <div className={classes.hours} style={rows} aria-hidden="true">
        <span />
        {hours.map((hour) => (
          <span key={hour}>{clockTime(new Date(Date.UTC(2000, 0, 1, hour)), 'UTC')}</span>
        ))}
      </div>
      {days.map((day) => {
        const byHour = Map.groupBy(byDay.get(day) ?? [], hourOf);
        return (
          <Day key={day} {...{ day, today, drop }} isEmpty={byHour.size === 0} style={rows}>
            {hours.map((hour) => (
              <div key={hour} className={classes.hour}>
                {byHour.get(hour)?.map((run) => (
                  <RunChip key={run.run_id} run={run} list={listOf(run)} maySend={maySend} />
                ))}
              </div>
            ))}
          </Day>
        );
      })}
    </div>
  );
}

/** Explains the colours that are shown. */
export function Legend({ runs }: Pick<Grid, 'runs'>) {
  const states = new Set(runs.map((run) => statusOfRun(run.status, run.campaign_status)));
  const isTooMuch = runs.some((run) => run.warnings);
  return (
    <>
      <Group gap="md" mt="sm">
        {[...states].map((state) => (
          <Status key={state} of={state} />
        ))}
        {isTooMuch && (
          <span className={classes.legend}>
            <Icon name="alert" size={14} /> {t('calendar.tooMuch')}
          </span>
        )}
      </Group>
      <ListLegend runs={runs} />
    </>
  );
}

function Weekdays() {
  return weekdayNames().map((day) => (
    <div key={day} className={classes.weekday} aria-hidden="true">
      {day}
    </div>
  ));
}
