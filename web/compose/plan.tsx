import { Stack, Text } from '@mantine/core';
import { count } from '../format/numbers.ts';
import { duration, shortTime, zoneName } from '../format/time.ts';
import { words } from '../words/words.ts';
import type { Draft } from './draft.ts';
import { membersOf } from './pick-groups.tsx';
import type { Check } from './use-check.ts';

const SHOWN_RUNS = 3;

/** When the draft would be sent, in words; `isFull` says all that will happen. */
export function Plan({ draft, check, isFull = false }: { draft: Draft; check: Check; isFull?: boolean }) {
  const lines: string[] = [];
  if (isFull) {
    lines.push(words.compose.reaches(draft.groups.length, count(draft.groups.length), count(membersOf(draft.groups))));
    if (check.problems.length > 0)
      lines.push(words.compose.skipped(check.problems.length, [...new Set(check.problems.map(({ issue }) => issue))]));
    if (draft.isScheduled)
      lines.push(
        words.compose.scheduleIn(
          draft.startDate ?? '',
          draft.endDate ?? draft.startDate ?? '',
          draft.time,
          draft.timeZone,
        ),
      );
    else lines.push(words.compose.cannotUndo);
  }
  if (draft.isScheduled && check.runs) lines.push(runsInWords(draft, check.runs));
  if (isFull && check.expectedSeconds !== undefined) lines.push(words.compose.takes(duration(check.expectedSeconds)));
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

function runsInWords({ timeZone }: Draft, runs: readonly { due_at: string }[]): string {
  const first = runs.slice(0, SHOWN_RUNS).map(({ due_at: dueAt }) => shortTime(dueAt, timeZone));
  const zone = zoneName(timeZone, new Date(runs[0]?.due_at ?? Date.now()));
  return words.compose.runs(first, zone, runs.length - first.length);
}
