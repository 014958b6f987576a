import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import type { GroupReport } from '../api/operations.ts';
import { groupQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { count, share } from '../format/numbers.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { RelativeTime, useNow } from '../parts/relative-time.tsx';
import { Callout } from '../parts/callout.tsx';
import { Page, PageSkeleton, RowsSkeleton, Section, SectionNote } from '../parts/page.tsx';
import { GroupSenders } from '../senders/group-senders.tsx';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { t } from '../i18n/translate.ts';
import { GroupFailures, GroupPosts } from './group-posts.tsx';
import classes from './group-page.module.css';
import { GroupInvite, GroupLists, PlannedRuns } from './group-side.tsx';
import type { TrendPoint } from './trend-chart.tsx';
import { useNewCampaign } from './use-new-campaign.ts';

const MembersChart = lazy(lazyWithRetry(() => import('./members-chart.tsx')));
const ReadsChart = lazy(lazyWithRetry(() => import('./reads-chart.tsx')));

/** The report of one group: its posts, its growth and its planned runs. */
export default function GroupPage({ id }: { id: string }) {
  return /^\d{1,15}$/.test(id) ? <GroupLoader groupId={Number(id)} /> : <NotFoundPage />;
}

function GroupLoader({ groupId }: { groupId: number }) {
  const report = useQuery(groupQuery(groupId));
  if (report.isPending) return <PageSkeleton />;
  if (!report.data) {
    const { error } = report;
    if (error instanceof CampanileError && error.status === 404) return <NotFoundPage />;
    return <ErrorAlert error={error} retry={() => void report.refetch()} />;
  }
  return <GroupDetails report={report.data} />;
}

function GroupDetails({ report }: { report: GroupReport }) {
  const { group, posts, members } = report;
  const write = useNewCampaign();
  const mayWrite = useMay('author') !== false;
  const isThere = group.removed_at === null;
  return (
    <Page
      title={group.group_name}
      actions={
        isThere &&
        mayWrite &&
        group.can_send && (
          <Button leftSection={<Icon name="send" size={16} />} onClick={() => write([group])}>
            {t('group.write')}
          </Button>
        )
      }
    >
      {!isThere && <Callout mb="md">{t('group.gone')}</Callout>}
      {isThere && !group.can_send && <Callout mb="md">{t('groups.cannotSend')}</Callout>}
      <div className={classes.page}>
        <Stack gap="md">
          <GroupFigures report={report} />
          <GroupFailures posts={posts} />
          <ReadsTrend posts={posts} />
          <MembersTrend group={group} members={members} />
          <GroupPosts posts={posts} kind={group.kind} />
        </Stack>
        <Stack gap="md">
          <PlannedRuns runs={report.planned} />
          {isThere && <GroupSenders group={group} />}
          {isThere && <GroupInvite group={group} />}
          <GroupLists lists={report.group_lists} />
        </Stack>
      </div>
    </Page>
  );
}

/** A post whose reads are known, and which is kept as such. */
function isCounted({ read_rate: rate, run_id: runId }: GroupReport['posts'][number]): boolean {
  return rate !== null && runId !== null;
}

/** A chart over time, of two points at least that are not at one time. */
function Trend({ title, points, children }: { title: string; points: readonly TrendPoint[]; children: ReactNode }) {
  if (points[0]?.atMs === points.at(-1)?.atMs)
    return (
      <SectionNote title={title} sample="trend">
        {t('group.notYet')}
      </SectionNote>
    );
  return (
    <Section title={title}>
      <Suspense fallback={<RowsSkeleton rows={1} height={200} />}>{children}</Suspense>
    </Section>
  );
}

function ReadsTrend({ posts }: Pick<GroupReport, 'posts'>) {
  const points = posts
    .filter(isCounted)
    .map((post) => ({ atMs: Date.parse(post.at), value: post.read_rate ?? 0 }))
    .toReversed();
  return (
    <Trend title={t('group.readOverTime')} points={points}>
      <ReadsChart points={points} />
    </Trend>
  );
}

/** The members or followers over time and now. A day stands at its noon in UTC, which of today may be to come. */
function MembersTrend({ group, members }: Pick<GroupReport, 'group' | 'members'>) {
  const nowMs = useNow(60_000);
  const days = members.map(({ date, participants }) => ({
    atMs: Date.parse(`${date}T12:00:00Z`),
    value: participants,
  }));
  const points = [...days.filter(({ atMs }) => atMs < nowMs), { atMs: nowMs, value: group.participants }];
  const title = group.kind === 'channel' ? t('group.followersOverTime') : t('group.membersOverTime');
  return (
    <Trend title={title} points={points}>
      <MembersChart kind={group.kind} points={points} />
    </Trend>
  );
}

function GroupFigures({ report: { group, totals, posts } }: { report: GroupReport }) {
  const latest = posts.find((post) => post.sent > 0);
  const isChannel = group.kind === 'channel';
  return (
    <Figures label={t('group.figures')}>
      <Figure label={isChannel ? t('group.followers') : t('groups.members')} value={count(group.participants)}>
        {t(`kinds.${group.kind}`)}
      </Figure>
      <Figure label={t('overview.posts')} value={count(totals.posts)}>
        {latest ? <RelativeTime at={latest.at} /> : t('group.noPosts')}
      </Figure>
      <Figure label={t('groups.columns.read_rate')} value={share(totals.read_rate)}>
        {t('group.ofPeople', { read: count(totals.read), people: count(totals.recipients) })}
      </Figure>
      <Figure label={t('groups.columns.failed')} value={count(totals.failed)} />
    </Figures>
  );
}
