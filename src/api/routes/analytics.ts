import { readGroupAnalytics } from '../../sending/analytics/group-analytics.ts';
import { readGroup, type GroupPost } from '../../sending/analytics/read-group.ts';
import { readOverview, type OverviewSums } from '../../sending/analytics/read-overview.ts';
import type { AccountShare } from '../../sending/campaigns/read/account-shares.ts';
import { estimateFinish, type ExpectDeps, type ExpectedFinish } from '../../sending/campaigns/read/estimate-finish.ts';
import type { analytics } from '../contract/analytics.ts';
import type { Handlers } from '../operation.ts';
import { describeHead, describeRun } from './campaign-reads.ts';
import { beginCsv } from './csv.ts';
import { describeCounts, describeRow, shownReach, sumOfReach } from './group-rows.ts';
import { describeGroup } from './groups.ts';
import { writeGroups } from './write-groups.ts';
import { rate } from './rate.ts';

export type AnalyticsDeps = ExpectDeps & { timeZone: string };

export const analyticsHandlers: Handlers<typeof analytics, AnalyticsDeps> = {
  async getCampaignGroupAnalyticsMaster(deps, { body, actor }) {
    const { campaignId, withAccounts, withEstimate } = body;
    const found = await readGroupAnalytics(deps, actor, campaignId, { withAccounts });
    const { totals, isRevised, reach } = found;
    const shares = withAccounts ? found.accounts : undefined;
    const finish = withEstimate ? await estimateFinish(deps, actor, campaignId, shares) : undefined;
    return {
      campaign: {
        ...describeHead(found.campaign),
        externalId: found.campaign.externalId ?? undefined,
        tags: found.campaign.tags.length > 0 ? found.campaign.tags : undefined,
        metadata: Object.keys(found.campaign.metadata).length > 0 ? found.campaign.metadata : undefined,
      },
      totals: {
        ...describeCounts(isRevised, totals),
        ...shownReach(reach, sumOfReach(reach)),
        skipped: totals.skipped || null,
        expectedFinishAt: finish && (finish.at ?? null),
      },
      groups: found.groups.map((group) => describeRow(found, group)),
      accounts: shares?.map((share) => describeShare(share, finish)),
      runs: found.runs.map(describeRun),
      timeline: found.timeline,
    };
  },

  async getOverview(deps, { body, actor }) {
    const { totals, previous, daily } = await readOverview(deps, actor, body.days, body);
    return {
      totals: describeSums(totals),
      previous: previous && describeSums(previous),
      daily: daily.map(describeSums),
    };
  },

  async getGroup(deps, { body: { groupMetadataId: groupId, days }, actor }) {
    const found = await readGroup(deps, actor, { groupId, days });
    return {
      ...found,
      group: describeGroup(found.group),
      totals: sumOf(found.posts),
      posts: found.posts.map((post) => ({ ...post, readRate: rate(post.read, post.recipients) })),
    };
  },

  async exportCampaign(deps, asked) {
    const found = await readGroupAnalytics(deps, asked.actor, asked.body.campaignId, { withPolls: true });
    return writeGroups(found, await beginCsv(deps, asked, found.campaign.name));
  },
};

function describeShare(share: AccountShare, finish: ExpectedFinish | undefined) {
  const expectedFinishAt = finish && (finish.byAccount.get(share.accountId) ?? null);
  return { ...share, readRate: rate(share.read, share.acknowledging), expectedFinishAt };
}

function describeSums<Sums extends OverviewSums>(sums: Sums) {
  return { ...sums, posts: sums.runs, readRate: rate(sums.read, sums.acknowledging) };
}

function sumOf(posts: readonly GroupPost[]) {
  const add = (pick: (post: GroupPost) => number) => posts.reduce((sum, post) => sum + pick(post), 0);
  const [recipients, read] = [add((post) => post.recipients), add((post) => post.read)];
  return {
    posts: add((post) => post.sent),
    failed: add((post) => post.failed),
    recipients,
    read,
    readRate: rate(read, recipients),
  };
}
