import { Stack, Text } from '@mantine/core';
import { count } from '../format/numbers.ts';
import { clockTime, dateIn, duration, shortTime, zoneName } from '../format/time.ts';
import { useNow } from '../parts/moment.tsx';
import { words } from '../words/words.ts';
import { groupIssues } from './checks.tsx';
import type { Draft } from './draft.ts';
import { membersOf } from './members-of.ts';
import type { Check } from './use-check.ts';

const SHOWN_RUNS = 3;
const NO_LINES: readonly string[] = [];

/** When the draft would be sent, in words; `isFull` says all that will happen, and `content` begins with what is sent. */
export function Plan({
  draft,
  check,
  isFull = false,
  content = NO_LINES,
}: {
  draft: Draft;
  check: Check;
  isFull?: boolean;
  content?: readonly string[];
}) {
  const nowMs = useNow();
  const lines: string[] = [...content];
  const { expectedSeconds: seconds } = check;
  if (isFull) {
    lines.push(words.compose.reaches(draft.groups.length, count(draft.groups.length), count(membersOf(draft.groups))));
    for (const [issue, ids] of groupIssues(check))
      lines.push(words.compose.issue(ids.length, count(ids.length), issue));
    if (draft.isScheduled) lines.push(scheduleInWords(draft));
    else lines.push(words.compose.cannotUndo);
  }
  if (draft.isScheduled && check.runs) lines.push(...runsInWords(draft, check.runs));
  if (seconds !== undefined) {
    const takes = duration(seconds);
    const end = new Date(nowMs + seconds * 1_000);
    if (draft.isScheduled) lines.push(words.compose.takesEach(takes));
    else lines.push(`${words.compose.takes(takes)} ${words.compose.doneBy(soon(end, nowMs, draft.timeZone))}`);
  }
  if (lines.length === 0) return null;
  return (
    <Stack gap={6} mt={isFull ? 0 : 'sm'} aria-live="polite">
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}

/** The time of day; with the day where it is another. */
function soon(at: Date, nowMs: number, zone: string): string {
  return dateIn(at, zone) === dateIn(new Date(nowMs), zone) ? clockTime(at, zone) : shortTime(at, zone);
}

function scheduleInWords({ startDate, endDate, time, timeZone }: Draft): string {
  return words.compose.scheduleIn(startDate ?? '', endDate ?? startDate ?? '', time, timeZone);
}

/** The next runs; where the clocks change among all of them, that the time of day stays. */
function runsInWords({ timeZone, time }: Draft, runs: readonly { due_at: string }[]): string[] {
  const shown = runs.slice(0, SHOWN_RUNS).map(({ due_at: dueAt }) => ({
    time: shortTime(dueAt, timeZone),
    zone: zoneName(timeZone, new Date(dueAt)),
  }));
  const more = runs.length - shown.length;
  const zones = [...new Set(runs.map(({ due_at: dueAt }) => zoneName(timeZone, new Date(dueAt))))];
  const [before = timeZone, after] = zones;
  const times = shown.map((run) => run.time);
  if (after === undefined) return [words.compose.runs(times, before, more)];
  const withZones = shown.map((run) => `${run.time} ${run.zone}`);
  return [words.compose.runsOverChange(withZones, more), words.compose.clockChange(time, before, after)];
}
