import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Analytics, Campaign, GroupRow } from '../../api/operations.ts';
import { analyticsQuery, campaignQuery } from '../../api/queries.ts';
import { CampanileError } from '../../../clients/typescript/failure.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Page, PageSkeleton, RowsSkeleton, Section } from '../../parts/page.tsx';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { t } from '../../i18n/translate.ts';
import { CampaignActions } from './campaign-actions.tsx';
import classes from './campaign-page.module.css';
import { Failures } from './failures.tsx';
import { FollowUpResults } from './follow-up-results.tsx';
import { GroupTable } from './group-table.tsx';
import { CampaignHeader } from './campaign-header.tsx';
import { NonReaders } from './non-readers.tsx';
import { PostPreview } from './post-preview.tsx';
import { ReachResults } from './reach.tsx';
import { Revisions } from './revisions.tsx';
import { ScheduleRule } from './schedule-rule.tsx';
import { Runs } from './runs.tsx';
import { lazyWithRetry } from '../../parts/lazy-with-retry.ts';

const GroupPostDialog = lazy(lazyWithRetry(() => import('./group-post-dialog.tsx')));
const PollResults = lazy(lazyWithRetry(() => import('./poll-results.tsx')));
const Timeline = lazy(lazyWithRetry(() => import('./timeline.tsx')));

/** The analytics of one campaign, live. */
export default function CampaignPage({ id }: { id: string }) {
  const analytics = useQuery(analyticsQuery(id));
  if (analytics.isPending) return <PageSkeleton />;
  if (!analytics.data) {
    const { error } = analytics;
    if (error instanceof CampanileError && (error.status === 404 || error.status === 400)) return <NotFoundPage />;
    return <ErrorAlert error={error} retry={() => void analytics.refetch()} />;
  }
  return <Shown id={id} analytics={analytics.data} />;
}

function Shown({ id, analytics }: { id: string; analytics: Analytics }) {
  const { campaign, totals, runs, timeline } = analytics;
  const post = useQuery(campaignQuery(id));
  const isQuiet = timeline.every((point) => point.sent === 0 && point.delivered === 0);
  const isToCome = totals.deliveries === 0;
  const { showPost, dialog } = useGroupPost(post.data, analytics.groups);
  // Beside the post there is nothing else to show by then.
  const isTableBeside = isToCome || (isQuiet && totals.failed === 0);
  const hasRuns = campaign.is_schedule || runs.length > 1;
  return (
    <Page title={campaign.name} actions={<CampaignActions analytics={analytics} />}>
      <div className={classes.campaign}>
        <div className={classes.whole}>
          <CampaignHeader analytics={analytics} rule={post.data && <ScheduleRule post={post.data} />} />
        </div>
        <Stack gap="md">
          {/* Until something is sent, the dates are what there is to see. */}
          {isToCome && <Runs analytics={analytics} listIds={post.data?.group_list_ids} />}
          <Failures analytics={analytics} />
          <Revisions analytics={analytics} />
          <ReachResults analytics={analytics} replyTo={post.data?.reply_to ?? null} />
          {post.data?.follow_up && <FollowUpResults followUp={post.data.follow_up} analytics={analytics} />}
          {post.data && (post.data.poll ?? post.data.event) && (
            <Suspense fallback={<RowsSkeleton rows={2} height={60} />}>
              <PollResults campaign={campaign} groups={analytics.groups} />
            </Suspense>
          )}
          {!isQuiet && (
            <Section title={t('campaign.overTime')}>
              <Suspense fallback={<RowsSkeleton rows={1} height={300} />}>
                <Timeline timeline={timeline} />
              </Suspense>
            </Section>
          )}
          <NonReaders analytics={analytics} />
          {isTableBeside && <GroupTable {...{ analytics, showPost }} />}
        </Stack>
        <Stack gap="md" className={classes.side}>
          {post.data && <PostPreview post={post.data} analytics={analytics} />}
          {post.isError && <ErrorAlert error={post.error} retry={() => void post.refetch()} />}
          {!isToCome && hasRuns && <Runs analytics={analytics} listIds={post.data?.group_list_ids} />}
        </Stack>
        {!isTableBeside && (
          <div className={classes.whole}>
            <GroupTable {...{ analytics, showPost }} />
          </div>
        )}
      </div>
      {dialog}
    </Page>
  );
}

/** Shows what a post with fields said to a group. */
function useGroupPost(post: Campaign | undefined, groups: readonly GroupRow[]) {
  const [asked, showPost] = useState<GroupRow>();
  if (!post?.with_fields) return {};
  // As it is now: its post may leave while the dialog is open, and the table then changes its place.
  const group = groups.find((one) => one.group_metadata_id === asked?.group_metadata_id);
  const close = () => showPost(undefined);
  return {
    showPost,
    dialog: <Suspense>{group && <GroupPostDialog post={post} group={group} close={close} />}</Suspense>,
  };
}
