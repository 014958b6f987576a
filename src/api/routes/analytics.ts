import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import { readGroupAnalytics } from '../../sending/analytics/group-analytics.ts';
import { NO_REACH } from '../../sending/analytics/read-reach.ts';
import { readGroup, type GroupPost } from '../../sending/analytics/read-group.ts';
import { readOverview, type OverviewSums, type OverviewTotals } from '../../sending/analytics/read-overview.ts';
import type { AccountShare } from '../../sending/campaigns/read/account-shares.ts';
import { estimateFinish, type ExpectDeps, type ExpectedFinish } from '../../sending/campaigns/read/estimate-finish.ts';
import type { analytics } from '../contract/analytics.ts';
import type { Handlers } from '../operation.ts';
import { toWireHead, toWireRun } from './campaign-reads.ts';
import {
  sumOfReach,
  toWireCounts,
  toWireGroupReach,
  toWireGroupRow,
  toWireReach,
  toWireRevised,
} from './group-rows.ts';
import { toWireGroup } from './groups.ts';
import { writeGroups } from './write-groups.ts';
import { rate } from './rate.ts';

export type AnalyticsDeps = ExpectDeps & { timeZone: string };

export const analyticsHandlers: Handlers<typeof analytics, AnalyticsDeps> = {
  async getCampaignGroupAnalyticsMaster(deps, { body, actor }) {
    const { campaign, totals, groups, runs, accounts, isRevised, reach, timeline } = await readGroupAnalytics(
      deps,
      actor,
      body.campaign_id,
      { withAccounts: body.with_accounts },
    );
    const shares = body.with_accounts ? accounts : undefined;
    const finish = body.with_estimate ? await estimateFinish(deps, actor, body.campaign_id, shares) : undefined;
    return {
      campaign: toWireHead(campaign),
      totals: {
        groups: totals.groups,
        runs: totals.runs,
        runs_done: totals.runsDone,
        ...toWireCounts(totals),
        ...(totals.skipped > 0 && { skipped: totals.skipped }),
        ...(isRevised && toWireRevised(totals)),
        ...toWireReach(reach, sumOfReach(reach)),
        ...(finish && { expected_finish_at: finish.at?.toISOString() ?? null }),
      },
      ...(shares && { accounts: shares.map((share) => toWireShare(share, finish)) }),
      groups: groups.map((group) => ({
        ...toWireGroupRow(group),
        ...(group.skipped !== null && { skipped: group.skipped }),
        ...(isRevised && toWireRevised(group)),
        ...toWireGroupReach(reach, reach.groups.get(group.groupId) ?? NO_REACH),
      })),
      runs: runs.map(toWireRun),
      timeline: timeline.map(({ at, ...sums }) => ({ at: at.toISOString(), ...sums })),
    };
  },

  async getOverview(deps, { body, actor }) {
    const options = { withPrevious: body.with_previous };
    const { totals, previous, daily } = await readOverview(deps, actor, body.days, options);
    return {
      totals: toWireTotals(totals),
      ...(previous && { previous: toWireTotals(previous) }),
      daily: daily.map(({ date, ...sums }) => ({ date, ...toWireSums(sums) })),
    };
  },

  async getGroup(deps, { body, actor }) {
    const { group_metadata_id: groupId, days } = body;
    const { group, groupLists, posts, planned, members } = await readGroup(deps, actor, { groupId, days });
    return {
      group: { ...toWireGroup(group), removed_at: group.removedAt?.toISOString() ?? null },
      group_lists: groupLists.map((list) => ({ group_list_id: list.groupListId, name: list.name })),
      totals: sumOf(posts),
      posts: posts.map(({ campaignId, runId, at, skipped, ...post }) => ({
        campaign_id: campaignId,
        run_id: runId,
        at: at.toISOString(),
        ...post,
        ...(skipped !== null && { skipped }),
        read_rate: rate(post.read, post.recipients),
      })),
      planned: planned.map((run) => ({
        campaign_id: run.campaignId,
        name: run.name,
        campaign_status: run.campaignStatus,
        run_id: run.runId,
        due_at: run.dueAt.toISOString(),
      })),
      members,
    };
  },

  async exportCampaign(deps, { body, actor, setHeader }) {
    const analytics = await readGroupAnalytics(deps, actor, body.campaign_id, { withPolls: true });
    setHeader('content-disposition', contentDisposition(fileNameOf(analytics.campaign.name, body.format)));
    return writeGroups(analytics);
  },
};

function toWireShare(share: AccountShare, finish: ExpectedFinish | undefined) {
  const { accountId, name, deliveries, queued, sent, failed, cancelled, recipients, delivered, read } = share;
  const finishAt = finish?.byAccount.get(accountId)?.toISOString() ?? null;
  return {
    account_id: accountId,
    name,
    deliveries,
    queued,
    sent,
    failed,
    cancelled,
    recipients,
    delivered,
    read,
    read_rate: rate(read, share.acknowledging),
    ...(finish && { expected_finish_at: finishAt }),
  };
}

function toWireTotals({ campaigns, groups, ...sums }: OverviewTotals) {
  return { campaigns, groups, ...toWireSums(sums) };
}

function toWireSums({ acknowledging, ...sums }: OverviewSums) {
  return { ...sums, posts: sums.runs, read_rate: rate(sums.read, acknowledging) };
}

function sumOf(posts: readonly GroupPost[]) {
  const add = (pick: (post: GroupPost) => number) => posts.reduce((sum, post) => sum + pick(post), 0);
  const [recipients, read] = [add((post) => post.recipients), add((post) => post.read)];
  return {
    posts: add((post) => post.sent),
    failed: add((post) => post.failed),
    recipients,
    read,
    read_rate: rate(read, recipients),
  };
}
