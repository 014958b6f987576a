import { Text } from '@mantine/core';
import type { Report } from '../api/operations.ts';
import { share } from '../format/numbers.ts';
import { dateRange } from '../format/time.ts';
import { locale, t } from '../i18n/translate.ts';
import { pointsSince } from './points-since.ts';
import classes from './report.module.css';

/** Whose report it is and on which days, and in one sentence what happened. */
export function Cover({ report }: { report: Report }) {
  const about = report.campaign?.name ?? report.group_list_name ?? report.tag;
  const happened = describeSpan(report);
  return (
    <header>
      {report.workspace_name !== null && (
        <Text className={classes.organisation} dir="auto">
          {report.workspace_name}
        </Text>
      )}
      <Text className={classes.about}>
        {about !== null && <strong dir="auto">{about} · </strong>}
        {t('report.subtitle', { days: dateRange(report.start_date, report.end_date), zone: report.time_zone })}
      </Text>
      {happened !== undefined && <Text className={classes.happened}>{happened}</Text>}
    </header>
  );
}

/** "18 posts in 6 groups reached 143 people, with a read rate of 41%: 3 points more than in the 30 days before." */
function describeSpan(report: Report): string | undefined {
  const { totals, previous, daily } = report;
  if (totals.sent === 0) return totals.failed === 0 ? undefined : t('report.noneSent', { failed: totals.failed });
  const reached = describeReach(report);
  if (totals.read_rate === null) return t('report.happened.reached', { reached });
  const rate = share(totals.read_rate);
  const points = pointsSince(totals, previous);
  if (points === undefined) return t('report.happened.rate', { reached, rate });
  const change = points === 0 ? 'same' : points > 0 ? 'more' : 'less';
  return t(`report.happened.${change}`, { reached, rate, points: Math.abs(points), days: daily.length });
}

/** "18 posts in 6 groups reached 143 people"; of old campaigns nothing but the number of posts may be known. */
function describeReach({ totals, unknown_runs: unknownRuns }: Report): string {
  const { sent: posts, groups, people_reached: people, followers_reached: followers } = totals;
  if (unknownRuns > 0 || groups === 0) return t('report.sent', { posts });
  const audience = new Intl.ListFormat(locale).format([
    ...(people > 0 || followers === 0 ? [t('report.audience.people', { people })] : []),
    ...(followers > 0 ? [t('report.audience.followers', { followers })] : []),
  ]);
  return t('report.reached', { posts, groups, audience });
}
