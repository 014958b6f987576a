import { Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Report } from '../api/operations.ts';
import { describeChange } from '../campaigns/list/describe-change.ts';
import { failureText } from '../format/failure-text.ts';
import { count, share, signedCount } from '../format/numbers.ts';
import { shortTime } from '../format/time.ts';
import { Callout } from '../parts/callout.tsx';
import { Empty } from '../parts/empty.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { Section, SectionNote } from '../parts/page.tsx';
import { Count } from '../parts/count.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { useNow } from '../parts/relative-time.tsx';
import { BestAndWorst } from './best-and-worst.tsx';
import { BestTimes } from './best-times.tsx';
import { Cover } from './cover.tsx';
import { pointsSince } from './points-since.ts';
import { RateChart } from './rate-chart.tsx';
import classes from './report.module.css';
import { ResultTable } from './result-table.tsx';
import { RunName } from './run-name.tsx';

/** As many rows of each list as are read. */
export const MOST_ROWS = 1_000;

/** A report as it is read and printed. `isLinked`: names lead to their pages, for users who are signed in. */
export function ReportView({
  report,
  isStale = false,
  isLinked = false,
}: {
  report: Report;
  isStale?: boolean;
  isLinked?: boolean;
}) {
  return (
    <div className={classes.report} data-stale={isStale || undefined}>
      <Cover report={report} />
      {report.totals.missed_runs > 0 && (
        <Callout>{t('report.missedRuns', { runs: report.totals.missed_runs })}</Callout>
      )}
      {report.totals.runs === 0 ? (
        <Empty title={t('report.empty')} sample="report">
          {t('report.emptyHint')}
        </Empty>
      ) : (
        <>
          <MainFigures report={report} />
          <Runs report={report} isLinked={isLinked} />
          <Rankings report={report} isLinked={isLinked} />
          {report.unknown_runs > 0 && <Callout>{t('report.unknownRuns', { runs: report.unknown_runs })}</Callout>}
          <Groups report={report} isLinked={isLinked} />
          <Section title={t('report.overTime')}>
            <RateChart report={report} />
          </Section>
          <BestHourAndWeekday report={report} />
          <div className={classes.pair}>
            <SilentGroups report={report} isLinked={isLinked} />
            <Failures report={report} />
          </div>
        </>
      )}
    </div>
  );
}

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
  const points = pointsSince(totals, previous);
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
          {points === undefined
            ? t('report.readOf')
            : t('overview.change', { change: t('overview.points', { points: signedCount(points) }), days })}
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

/** What was posted, newest first. */
function Runs({ report, isLinked }: { report: Report; isLinked: boolean }) {
  const { runs = [], time_zone: zone, totals } = report;
  return (
    <ResultTable
      title={t('report.runs')}
      rows={runs}
      rowKey={(run) => run.run_id}
      sortedBy={t('group.when')}
      countRows={(shown) => (shown < totals.runs ? t('report.firstRuns', { shown, all: totals.runs }) : undefined)}
      columns={[
        {
          header: t('report.post'),
          sortValue: (run) => run.campaign.name,
          renderCell: (run) => <RunName run={run} zone={zone} isLink={isLinked} />,
        },
        {
          header: t('group.when'),
          sortValue: (run) => Date.parse(run.started_at),
          renderCell: (run) => shortTime(run.started_at, zone),
          className: classes.wide,
        },
        {
          header: t('groups.columns.read_rate'),
          sortValue: (run) => run.read_rate,
          renderCell: (run) => <RateBar rate={run.read_rate} />,
        },
        {
          header: t('pages.groups'),
          sortValue: (run) => run.sent,
          renderCell: (run) => <Count of={run.sent} />,
          className: classes.number,
        },
      ]}
    />
  );
}

const DAY_MS = 24 * 60 * 60_000;

/** The best and worst posts and groups, without those that people are still reading. */
function Rankings({ report, isLinked }: { report: Report; isLinked: boolean }) {
  const { runs = [], groups, group_count: all, totals, time_zone: zone } = report;
  const readBefore = useNow() - DAY_MS;
  const isRead = (at: string | null) => at !== null && Date.parse(at) <= readBefore;
  const isRecent = runs.some((run) => !isRead(run.started_at));
  return (
    <div className={classes.pair}>
      <BestAndWorst
        title={t('report.best.posts')}
        rows={runs.filter((run) => isRead(run.started_at))}
        rowKey={(run) => run.run_id}
        renderName={(run) => <RunName run={run} zone={zone} isLink={isLinked} />}
        isWhole={runs.length >= totals.runs}
        {...(isRecent && { note: t('report.best.note') })}
      />
      <BestAndWorst
        title={t('report.best.groups')}
        rows={groups.filter((row) => isRead(row.first_sent_at))}
        rowKey={(row) => row.group_metadata_id}
        renderName={(row) => <GroupName row={row} isLink={isLinked} />}
        isWhole={groups.length >= all}
      />
    </div>
  );
}

function Groups({ report, isLinked }: { report: Report; isLinked: boolean }) {
  const { groups, group_count: all } = report;
  if (all === 0) return null;
  return (
    <ResultTable
      title={t('report.groups')}
      rows={groups}
      rowKey={(row) => row.group_metadata_id}
      sortedBy={t('groups.columns.read_rate')}
      countRows={(shown) => (shown < all ? t('report.first', { shown, all }) : undefined)}
      columns={[
        {
          header: t('groups.columns.name'),
          sortValue: (row) => row.group_name,
          renderCell: (row) => <GroupName row={row} isLink={isLinked} />,
        },
        {
          header: t('groups.columns.read_rate'),
          sortValue: (row) => row.read_rate,
          renderCell: (row) =>
            row.kind === 'channel' ? (
              <span className={textClasses.dim}>
                {row.views === null ? t('common.unknown') : t('report.viewsOf', { views: row.views })}
              </span>
            ) : (
              <RateBar rate={row.read_rate} />
            ),
        },
        {
          header: t('report.posts'),
          sortValue: (row) => row.sent,
          renderCell: (row) => <Count of={row.sent} />,
          className: classes.number,
        },
        {
          header: t('groups.columns.participants'),
          sortValue: (row) => row.participants,
          renderCell: (row) => <Count of={row.participants} />,
          className: `${classes.number} ${classes.wide}`,
        },
      ]}
    />
  );
}

/** A read rate as a bar. */
function RateBar({ rate }: { rate: number | null }) {
  return (
    <span className={classes.rate}>
      <span className={classes.track} aria-hidden="true">
        <span className={classes.bar} style={{ inlineSize: `${(rate ?? 0) * 100}%` }} />
      </span>
      <span className={classes.share}>{share(rate)}</span>
    </span>
  );
}

function SilentGroups({ report, isLinked }: { report: Report; isLinked: boolean }) {
  const { silent_groups: groups, silent_count: all } = report;
  if (all === 0) return <SectionNote title={t('report.silent')}>{t('report.silentNone')}</SectionNote>;
  return (
    <Section title={t('report.silent')}>
      <ul className={classes.list}>
        {groups.map((row) => (
          <li key={row.group_metadata_id}>
            <GroupName row={row} isLink={isLinked} />
            <span className={textClasses.dim}>
              {t('report.silentOf', { posts: row.sent, members: row.participants })}
            </span>
          </li>
        ))}
      </ul>
      {groups.length < all && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('report.first', { shown: groups.length, all })}
        </Text>
      )}
    </Section>
  );
}

function Failures({ report: { failures } }: { report: Report }) {
  if (failures.length === 0) return <SectionNote title={t('overview.failed')}>{t('report.failuresNone')}</SectionNote>;
  return (
    <Section title={t('overview.failed')}>
      <ul className={classes.list}>
        {failures.map(({ groups, posts, ...failure }) => {
          const { what, todo } = failureText(failure);
          return (
            <li key={failure.error} className={classes.failure}>
              <span className={textClasses.failed}>{t('report.failure', { posts, groups })}</span>
              <span className={textClasses.breakable}>
                {what} {todo}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
