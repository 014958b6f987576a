import type { Report } from '../api/operations.ts';
import { share } from '../format/numbers.ts';
import { dateName } from '../format/time.ts';
import { t } from '../i18n/translate.ts';
import classes from './report.module.css';

/** More columns than these would be too narrow to see on a phone. */
const MOST_COLUMNS = 62;
const DAYS_OF_WEEK = 7;

interface Column {
  first: string;
  last: string;
  rate: number | null;
}

/** The read rate of each day, or of each week of a long span, with the rate of the days before as a line. */
export function RateChart({ report }: { report: Report }) {
  const columns = toColumns(report.daily);
  const before = report.previous.read_rate;
  const rates = columns.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  const top = Math.max(0.1, Math.ceil(Math.max(...rates, before ?? 0) * 10) / 10);
  const height = (rate: number) => `${(rate / top) * 100}%`;
  return (
    <figure className={classes.chart}>
      <div
        role="img"
        aria-label={t('report.chart', {
          first: dateName(report.start_date),
          last: dateName(report.end_date),
          rate: share(report.totals.read_rate),
        })}
        className={classes.plot}
      >
        <span className={classes.top}>{share(top)}</span>
        <span className={classes.middle}>{share(top / 2)}</span>
        {before !== null && <span className={classes.before} style={{ insetBlockEnd: height(before) }} />}
        <div className={classes.columns}>
          {columns.map(({ first, last, rate }) => (
            <span key={first} className={classes.column} title={titleOf(first, last, rate)}>
              {rate !== null && <span className={classes.fill} style={{ blockSize: height(rate) }} />}
            </span>
          ))}
        </div>
      </div>
      <figcaption className={classes.ends}>
        <span>{dateName(report.start_date)}</span>
        <span>
          {columns.length < report.daily.length ? t('report.byWeek') : t('report.byDay')}
          {before !== null && (
            <>
              <span className={classes.legend} aria-hidden="true" />
              {t('report.before', { rate: share(before) })}
            </>
          )}
        </span>
        <span>{dateName(report.end_date)}</span>
      </figcaption>
    </figure>
  );
}

function titleOf(first: string, last: string, rate: number | null): string {
  const days = first === last ? dateName(first) : `${dateName(first)} – ${dateName(last)}`;
  return `${days}: ${share(rate)}`;
}

function toColumns(daily: Report['daily']): Column[] {
  const width = daily.length > MOST_COLUMNS ? DAYS_OF_WEEK : 1;
  return Array.from({ length: Math.ceil(daily.length / width) }, (_, index) => {
    const days = daily.slice(index * width, (index + 1) * width);
    const recipients = days.reduce((sum, day) => sum + day.rated_recipients, 0);
    const read = days.reduce((sum, day) => sum + day.read, 0);
    return {
      first: days[0]?.date ?? '',
      last: days.at(-1)?.date ?? '',
      rate: recipients === 0 ? null : read / recipients,
    };
  });
}
