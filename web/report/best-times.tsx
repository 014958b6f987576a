import { Text } from '@mantine/core';
import type { Report } from '../api/operations.ts';
import { share } from '../format/numbers.ts';
import { timeOfDay } from '../format/time.ts';
import { weekdayNames } from '../format/weekday.ts';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import classes from './report.module.css';

type Times = Report['hours'];
type Time = Times['times'][number];

/** The hour or the weekday at which runs were read best, how sure that is, and a bar for each. */
export function BestTimes({ times, unit }: { times: Times; unit: 'hour' | 'weekday' }) {
  const best = times.times.find((time) => time.value === times.best);
  const runs = times.times.reduce((sum, time) => sum + time.runs, 0);
  const shown = unit === 'hour' ? times.times.map((time) => time.value) : [1, 2, 3, 4, 5, 6, 7];
  return (
    <Section title={unit === 'hour' ? t('report.bestHour') : t('report.bestWeekday')}>
      <Text size="sm" {...(!best && { c: 'dimmed' })} mb="sm">
        {best && <strong className={classes.best}>{headlineOf(best.value, unit)}</strong>}
        {t(`report.certainty.${times.certainty}`, { runs })}
      </Text>
      <ul className={classes.times}>
        {shown.map((value) => (
          <TimeBar
            key={value}
            name={nameOf(value, unit)}
            time={times.times.find((time) => time.value === value)}
            isBest={value === times.best}
          />
        ))}
      </ul>
    </Section>
  );
}

/** "18:00 – 19:00" or "Tue". */
function headlineOf(value: number, unit: 'hour' | 'weekday'): string {
  return unit === 'weekday' ? nameOf(value, unit) : `${nameOf(value, unit)} – ${nameOf((value + 1) % 24, unit)}`;
}

function nameOf(value: number, unit: 'hour' | 'weekday'): string {
  if (unit === 'weekday') return weekdayNames()[value - 1] ?? '';
  return timeOfDay(`${String(value).padStart(2, '0')}:00`);
}

/** A bar with the 95 % interval as a line on it. */
function TimeBar({ name, time, isBest }: { name: string; time: Time | undefined; isBest: boolean }) {
  const low = time?.low ?? null;
  const high = time?.high ?? null;
  return (
    <li data-best={isBest || undefined}>
      <span className={classes.timeName}>{name}</span>
      <span className={classes.track} aria-hidden="true">
        {time && <span className={classes.bar} style={{ inlineSize: `${time.read_rate * 100}%` }} />}
        {low !== null && high !== null && (
          <span
            className={classes.interval}
            style={{ insetInlineStart: `${low * 100}%`, inlineSize: `${(high - low) * 100}%` }}
          />
        )}
      </span>
      <span className={classes.timeShare}>
        {time ? t('report.timeRate', { rate: share(time.read_rate), runs: time.runs }) : t('common.unknown')}
      </span>
    </li>
  );
}
