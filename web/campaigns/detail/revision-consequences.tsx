import { Stack, Text } from '@mantine/core';
import type { Analytics, Run } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { words } from '../../words/words.ts';
import { countInTime, type Revision } from './revision-windows.ts';

/** The consequences of a recall or correction, of one run or of the whole campaign. */
export function RevisionConsequences({
  revision,
  analytics,
  run,
}: {
  revision: Revision;
  analytics: Analytics;
  run: Run | undefined;
}) {
  const zone = useZone();
  const nowMs = useNow();
  const said = words.revise[revision];
  const lines: string[] = [];
  if (run) {
    lines.push(said.ofRun(exactTime(run.due_at, zone), run.sent, count(run.sent)), words.revise.window[revision]);
    if (run.status === 'running') lines.push(said.restOfRun);
  } else {
    const { there, inTime } = countInTime(analytics.groups, revision, nowMs);
    lines.push(said.ofAll(there, count(there)));
    lines.push(
      there > inTime
        ? words.revise.tooLate(there - inTime, count(there - inTime), words.revise.window[revision])
        : words.revise.window[revision],
    );
    const isOpen = analytics.runs.some(({ status }) => status === 'planned' || status === 'running');
    if (isOpen) lines.push(said.rest);
  }
  lines.push(said.seen);
  return (
    <Stack gap={6}>
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}
