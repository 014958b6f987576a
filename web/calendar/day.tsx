import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import type { PlannedRun } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Dot } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { toneOfStatus } from '../parts/tone.ts';
import { words } from '../words/words.ts';
import classes from './calendar.module.css';

/** One day with its runs, the last of them behind a button where there are more than `most`. */
export function Day({
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
  const shown = runs.length > most ? runs.slice(0, most - 1) : runs;
  const hidden = runs.length - shown.length;
  return (
    <div
      role="listitem"
      className={classes.day}
      data-outside={isOutside || undefined}
      data-empty={runs.length === 0 || undefined}
      aria-label={longDay(day)}
      aria-current={day === today ? 'date' : undefined}
    >
      <span className={classes.date}>
        {Number(day.slice(8))}
        <span className={classes.long}>{longDay(day)}</span>
      </span>
      {shown.map((run) => (
        <RunChip key={run.run_id} run={run} />
      ))}
      {hidden !== 0 && (
        <UnstyledButton className={classes.more} onClick={showAll}>
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
    <Link href={`/campaigns/${run.campaign_id}`} className={classes.run} title={`${run.name}: ${words.status[status]}`}>
      <Dot tone={toneOfStatus(status)} label="" />
      <span className={classes.time}>{time}</span>
      <span className={textClasses.clip}>{run.name}</span>
      <VisuallyHidden>({words.status[status]})</VisuallyHidden>
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
