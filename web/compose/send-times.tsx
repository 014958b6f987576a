import { Stack, Text } from '@mantine/core';
import { dateName, duration, shortTime, timeOfDay, timeOrDay, zoneName } from '../format/time.ts';
import { useNow } from '../parts/relative-time.tsx';
import { namesOfDays } from '../format/weekday.ts';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { describeRule } from './rule.ts';
import { listSkipped } from './schedule-days.ts';
import type { Check } from './use-check.ts';

const SHOWN_RUNS = 3;
/** What a rule comes to is seen by its dates alone. */
const SHOWN_RUNS_OF_RULE = 10;
const DAYS_OF_WEEK = 7;

/** When the draft would be sent, in words. */
export function SendTimes({ draft, check }: { draft: Draft; check: Check }) {
  const nowMs = useNow();
  const lines = [
    ...(draft.isScheduled && check.runs ? describeRuns(draft, check.runs, check.runsContinue) : []),
    ...(draft.isScheduled && check.runsContinue ? [t('compose.runsContinue')] : []),
    ...(draft.isScheduled && check.isPending ? [t('compose.checking')] : []),
    ...describeDuration(draft, check, nowMs),
  ];
  if (lines.length === 0) return null;
  return (
    <Stack gap={6} mt="sm" aria-live="polite">
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}

/** Describes how long sending takes and when it ends. */
export function describeDuration(draft: Draft, { expectedSeconds: seconds, wait }: Check, nowMs: number): string[] {
  // Nobody knows when a wait without an end is over.
  if (seconds === undefined || wait?.until === null) return [];
  const takes = duration(seconds);
  if (draft.isScheduled) return [t('compose.takesEach', { time: takes })];
  const end = new Date(nowMs + seconds * 1_000);
  const done = t('compose.doneBy', { when: timeOrDay(end, draft.timeZone, nowMs) });
  // Most of the time until then is no sending.
  return [wait ? done : `${t('compose.takes', { time: takes })} ${done}`];
}

/** Describes the days, time and zone of the schedule. */
export function describeSchedule(draft: Draft): string {
  const skipped = listSkipped(draft);
  const left =
    skipped.length === 0
      ? ''
      : ` ${t('compose.skip.days', { days: skipped.length, list: skipped.map(dateName).join(' · ') })}`;
  return describeRange(draft) + left;
}

function describeRange({ startDate, endDate, time, timeZone, weekdays, recurrence }: Draft): string {
  const start = startDate ?? '';
  if (recurrence !== null && start !== '')
    return describeRule(recurrence, { from: start, to: endDate, time, zone: timeZone });
  const [from = '', to = ''] = [start, endDate ?? start].map((date) => (date === '' ? '' : dateName(date)));
  const when = { time: timeOfDay(time), zone: timeZone };
  if (from === to) return t('compose.scheduleOnce', { day: from, ...when });
  if (weekdays.length === DAYS_OF_WEEK) return t('compose.scheduleDaily', { from, to, ...when });
  return t('compose.scheduleOn', { from, to, weekdays: namesOfDays(weekdays).join(', '), ...when });
}

/** Describes the next runs, and a clock change among all runs. */
export function describeRuns(
  { timeZone, time, recurrence }: Draft,
  runs: readonly { due_at: string }[],
  isContinued = false,
): string[] {
  const shown = runs.slice(0, recurrence === null ? SHOWN_RUNS : SHOWN_RUNS_OF_RULE).map(({ due_at: dueAt }) => ({
    time: shortTime(dueAt, timeZone),
    zone: zoneName(timeZone, new Date(dueAt)),
  }));
  // Of a plan that goes on, nobody needs to know how many are planned by now.
  const more = isContinued ? 0 : runs.length - shown.length;
  const zones = [...new Set(runs.map(({ due_at: dueAt }) => zoneName(timeZone, new Date(dueAt))))];
  const [before = timeZone, after] = zones;
  const times = shown.map((run) => run.time);
  if (after === undefined) return [t('compose.runs', { first: times.join(' · '), zone: before, count: more })];
  const withZones = shown.map((run) => `${run.time} ${run.zone}`);
  return [
    t('compose.runsOverChange', { first: withZones.join(' · '), count: more }),
    t('compose.clockChange', { time, before, after }),
  ];
}
