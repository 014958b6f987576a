import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import {
  readGroupAnalytics,
  type Counts,
  type Engagement,
  type GroupRow,
} from '../../sending/analytics/group-analytics.ts';
import { NO_REACH, type CampaignReach, type Reach } from '../../sending/analytics/read-reach.ts';
import { readGroup, type GroupPost } from '../../sending/analytics/read-group.ts';
import { readOverview, type OverviewSums, type OverviewTotals } from '../../sending/analytics/read-overview.ts';
import { estimateFinish, type ExpectDeps } from '../../sending/campaigns/read/estimate-finish.ts';
import type { analytics } from '../contract/analytics.ts';
import type { Handlers } from '../operation.ts';
import { toWireHead, toWireRun } from './campaign-reads.ts';
import { writeCsv } from './csv.ts';
import { toWireGroup } from './groups.ts';
import { rate } from './rate.ts';

export type AnalyticsDeps = ExpectDeps & { timeZone: string };

/** In this order. A new column is added at the end. */
const COLUMNS = [
  'group_metadata_id',
  'group_name',
  'kind',
  'participants',
  'deliveries',
  'queued',
  'sent',
  'failed',
  'cancelled',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
  'delivery_rate',
  'read_rate',
  'first_sent_at',
  'last_sent_at',
  'last_error',
  'recalled',
  'corrected',
  'skipped',
] as const satisfies ReadonlyArray<keyof ReturnType<typeof toCsvRow>>;

export const analyticsHandlers: Handlers<typeof analytics, AnalyticsDeps> = {
  async getCampaignGroupAnalyticsMaster(deps, { body, actor }) {
    const { campaign, totals, groups, runs, isRevised, reach, timeline } = await readGroupAnalytics(
      deps,
      actor,
      body.campaign_id,
    );
    const finishAt = body.with_estimate ? await estimateFinish(deps, actor, body.campaign_id) : undefined;
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
        ...(finishAt !== undefined && { expected_finish_at: finishAt?.toISOString() ?? null }),
      },
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
      posts: posts.map(({ campaignId, runId, at, ...post }) => ({
        campaign_id: campaignId,
        run_id: runId,
        at: at.toISOString(),
        ...post,
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
    const { campaign, groups } = await readGroupAnalytics(deps, actor, body.campaign_id);
    setHeader('content-disposition', contentDisposition(fileNameOf(campaign.name, body.format)));
    return writeCsv(COLUMNS, groups.map(toCsvRow));
  },
};

function toCsvRow(group: GroupRow) {
  return { ...toWireGroupRow(group), ...toWireRevised(group), skipped: group.skipped };
}

type ReachSums = Pick<Reach, 'pinned' | 'pinsWaiting' | 'mentionsLeftOut'>;

function sumOfReach({ groups }: CampaignReach): ReachSums {
  return [...groups.values()].reduce<ReachSums>(
    (sums, one) => ({
      pinned: sums.pinned + one.pinned,
      pinsWaiting: sums.pinsWaiting + one.pinsWaiting,
      mentionsLeftOut: sums.mentionsLeftOut + one.mentionsLeftOut,
    }),
    NO_REACH,
  );
}

function toWireReach({ hasPins, hasMentions }: CampaignReach, sums: ReachSums) {
  return {
    ...(hasPins && { pinned: sums.pinned, pins_waiting: sums.pinsWaiting }),
    ...(hasMentions && { mentions_left_out: sums.mentionsLeftOut }),
  };
}

function toWireGroupReach(reach: CampaignReach, group: Reach) {
  return {
    ...toWireReach(reach, group),
    ...(reach.hasPins && { pin_error: group.pinError }),
    ...(reach.hasMentions && { mention_left_out: group.mentionLeftOut }),
  };
}

/** The results of a campaign in one group, as the wire has them. */
export function toWireGroupRow(group: GroupRow) {
  return {
    group_metadata_id: group.groupId,
    group_name: group.name,
    kind: group.kind,
    participants: group.participants,
    ...toWireCounts(group),
    first_sent_at: group.firstSentAt?.toISOString() ?? null,
    last_sent_at: group.lastSentAt?.toISOString() ?? null,
    last_error: group.lastError,
  };
}

function toWireCounts(row: Counts & Engagement) {
  return {
    deliveries: row.deliveries,
    queued: row.queued,
    sent: row.sent,
    failed: row.failed,
    cancelled: row.cancelled,
    recipients: row.recipients,
    delivered: row.delivered,
    read: row.read,
    reactions: row.reactions,
    replies: row.replies,
    views: row.views,
    delivery_rate: rate(row.delivered, row.acknowledging),
    read_rate: rate(row.read, row.acknowledging),
  };
}

/** Only of a campaign that was to be recalled or corrected in part. */
function toWireRevised({ recalled, corrected }: Counts) {
  return { recalled, corrected };
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
