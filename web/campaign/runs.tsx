import { Text } from '@mantine/core';
import type { Run } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { exactTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Section } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { words } from '../words/words.ts';

/** The plan: each run with its time, in the campaign's own zone where that is another, and what became of it. */
export function Runs({ runs, zone }: { runs: readonly Run[]; zone: string | null }) {
  const ownZone = useZone();
  return (
    <Section title={words.campaign.runs(runs.length)}>
      {zone !== null && zone !== ownZone && (
        <Text size="sm" c="dimmed" mb="xs">
          {words.campaign.inZone(zone)}
        </Text>
      )}
      <ol className="runs">
        {runs.map((run) => (
          <li key={run.run_id}>
            <span>{exactTime(run.due_at, zone ?? ownZone)}</span>
            <span className="dim">
              <Status of={run.status} />
              {run.sent + run.failed > 0 &&
                ` · ${words.campaign.runSent(count(run.sent), run.failed, count(run.failed))}`}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
