import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Report } from '../api/operations.ts';
import { describeChange } from '../campaigns/list/describe-change.ts';
import { count, share, signedCount } from '../format/numbers.ts';
import { dateName } from '../format/time.ts';
import { Callout } from '../parts/callout.tsx';
import { Empty } from '../parts/empty.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { Section, SectionNote } from '../parts/page.tsx';
import { Count } from '../parts/count.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { BestTimes } from './best-times.tsx';
import { RateChart } from './rate-chart.tsx';
import classes from './report.module.css';

/** Rows of each list at first, and on request. */
export const FIRST_ROWS = 50;
export const MOST_ROWS = 1_000;

/** A report as it is read and printed. `linksToGroups`: for users who are signed in. */
export function ReportView({
  report,
  isStale = false,
  showMore,
  linksToGroups = false,
}: {
  report: Report;
  isStale?: boolean;
  /** undefined: as many rows as there may be. */
  showMore?: (() => void) | undefined;
  linksToGroups?: boolean;
}) {
  const about = report.campaign?.name ?? report.group_list_name;
  return (
    <div className={classes.report} data-stale={isStale || undefined}>
      <Text className={classes.about}>
        {about !== null && <strong dir="auto">{about} · </strong>}
        {t('report.subtitle', {
          first: dayOf(report.start_date),
          last: dayOf(report.end_date),
          zone: report.time_zone,
        })}
      </Text>
      {report.totals.runs === 0 ? (
        <Empty title={t('report.empty')}>{t('report.emptyHint')}</Empty>
      ) : (
        <>
          <MainFigures report={report} />
          {report.unknown_runs > 0 && <Callout>{t('report.unknownRuns', { runs: report.unknown_runs })}</Callout>}
          <Section title={t('report.overTime')}>
            <RateChart report={report} />
          </Section>
          <BestHourAndWeekday report={report} />
          <GroupBars report={report} showMore={showMore} linksToGroups={linksToGroups} />
          <div className={classes.pair}>
            <SilentGroups report={report} linksToGroups={linksToGroups} />
            <Failures report={report} />
          </div>
        </>
      )}
    </div>
  );
}

const dayOf = (date: string) => `${dateName(date)} ${date.slice(0, 4)}`;

function BestHourAndWeekday({ report: { hours, weekdays } }: { report: Report }) {
  // Both are of the same runs.
  if (hours.times.length === 0)
    return (
      <SectionNote title={`${t('report.bestHour')}, ${t('report.bestWeekday')}`}>
        {t(`report.certainty.${hours.certainty}`, { runs: 0 })}
      </SectionNote>
    );
  return (
    <>
      <div className={classes.pair}>
        <BestTimes times={hours} unit="hour" />
        <BestTimes times={weekdays} unit="weekday" />
      </div>
      <Text size="xs" c="dimmed">
        {t('report.timesNote')}
      </Text>
    </>
  );
}

function MainFigures({ report: { totals, previous, daily } }: { report: Report }) {
  const days = String(daily.length);
  const hasChannels = totals.followers_reached > 0 || totals.views !== null;
  const points =
    totals.read_rate !== null && previous.read_rate !== null
      ? t('overview.change', {
          change: t('overview.points', {
            points: signedCount(Math.round(totals.read_rate * 100) - Math.round(previous.read_rate * 100)),
          }),
          days,
        })
      : undefined;
  return (
    <div className={classes.figures}>
      <Figures label={t('report.figures')} dense>
        <Figure label={t('overview.posts')} value={count(totals.sent)}>
          {describeChange(totals.sent, previous.sent, days)}
        </Figure>
        <Figure label={t('report.people')} value={count(totals.people_reached)}>
          {t('report.peopleNote')}
        </Figure>
        <Figure label={t('overview.readRate')} value={share(totals.read_rate)}>
          {points ?? t('report.readOf')}
        </Figure>
        {hasChannels && (
          <Figure label={t('report.views')} value={count(totals.views)}>
            {t('report.followers', { followers: totals.followers_reached })}
          </Figure>
        )}
        <Figure label={t('report.reactions')} value={count(totals.reactions)}>
          {t('report.replies', { replies: totals.replies })}
        </Figure>
        <Figure label={t('overview.failed')} value={count(totals.failed)}>
          {describeChange(totals.failed, previous.failed, days)}
        </Figure>
      </Figures>
    </div>
  );
}

type Row = Report['groups'][number];

function GroupName({ row, isLink }: { row: Row; isLink: boolean }) {
  if (!isLink) return <span dir="auto">{row.group_name}</span>;
  return (
    <Link href={`/groups/${row.group_metadata_id}`} dir="auto">
      {row.group_name}
    </Link>
  );
}

function GroupBars({
  report,
  showMore,
  linksToGroups,
}: {
  report: Report;
  showMore: (() => void) | undefined;
  linksToGroups: boolean;
}) {
  const { groups, group_count: all } = report;
  return (
    <Section title={t('report.groups')}>
      <table className={classes.groups}>
        <thead>
          <tr>
            <th scope="col">{t('groups.columns.name')}</th>
            <th scope="col">{t('groups.columns.read_rate')}</th>
            <th scope="col" className={classes.number}>
              {t('report.posts')}
            </th>
            <th scope="col" className={classes.number}>
              {t('groups.columns.participants')}
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((row) => (
            <tr key={row.group_metadata_id}>
              <th scope="row">
                <GroupName row={row} isLink={linksToGroups} />
              </th>
              <td>
                <RateBar row={row} />
              </td>
              <td className={classes.number}>
                <Count of={row.sent} />
              </td>
              <td className={classes.number}>
                <Count of={row.participants} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Rest shown={groups.length} all={all} showMore={showMore} />
    </Section>
  );
}

/** The read rate of a group as a bar; for a channel its views. */
function RateBar({ row }: { row: Row }) {
  if (row.kind === 'channel')
    return (
      <span className={textClasses.dim}>
        {row.views === null ? t('common.unknown') : t('report.viewsOf', { views: row.views })}
      </span>
    );
  return (
    <span className={classes.rate}>
      <span className={classes.track} aria-hidden="true">
        <span className={classes.bar} style={{ inlineSize: `${(row.read_rate ?? 0) * 100}%` }} />
      </span>
      <span className={classes.share}>{share(row.read_rate)}</span>
    </span>
  );
}

function Rest({ shown, all, showMore }: { shown: number; all: number; showMore: (() => void) | undefined }) {
  if (shown >= all) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      {t('report.first', { shown, all })}{' '}
      {showMore && (
        <Button size="compact-sm" variant="subtle" onClick={showMore} className={classes.screen}>
          {t('report.more')}
        </Button>
      )}
    </Text>
  );
}

function SilentGroups({ report, linksToGroups }: { report: Report; linksToGroups: boolean }) {
  const { silent_groups: groups, silent_count: all } = report;
  if (all === 0) return <SectionNote title={t('report.silent')}>{t('report.silentNone')}</SectionNote>;
  return (
    <Section title={t('report.silent')}>
      <ul className={classes.list}>
        {groups.map((row) => (
          <li key={row.group_metadata_id}>
            <GroupName row={row} isLink={linksToGroups} />
            <span className={textClasses.dim}>
              {t('report.silentOf', { posts: row.sent, members: row.participants })}
            </span>
          </li>
        ))}
      </ul>
      <Rest shown={groups.length} all={all} showMore={undefined} />
    </Section>
  );
}

function Failures({ report: { failures } }: { report: Report }) {
  if (failures.length === 0) return <SectionNote title={t('overview.failed')}>{t('report.failuresNone')}</SectionNote>;
  return (
    <Section title={t('overview.failed')}>
      <ul className={classes.list}>
        {failures.map(({ error, groups, posts }) => (
          <li key={error} className={classes.failure}>
            <span className={textClasses.failed}>{t('report.failure', { posts, groups })}</span>
            <span className={textClasses.breakable}>{error}.</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
