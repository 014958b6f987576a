import { create as contentDisposition } from 'content-disposition';
import type { z } from 'zod';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/connect.ts';
import { findByIdempotencyKey } from '../../sending/campaigns/read/find-by-idempotency-key.ts';
import { findWait } from '../../sending/campaigns/read/find-wait.ts';
import { getCampaign, type RunDetails } from '../../sending/campaigns/read/get-campaign.ts';
import { getMedia } from '../../sending/campaigns/read/get-media.ts';
import { listCampaigns } from '../../sending/campaigns/read/list-campaigns.ts';
import type { OwnCampaign } from '../../sending/campaigns/store.ts';
import { explainPause } from '../../sending/deliveries/pause-refused.ts';
import { listRuns, type ListedPost } from '../../sending/campaigns/read/list-runs.ts';
import type { campaignReads, getCampaignBody } from '../contract/campaign-reads.ts';
import { campaigns } from '../contract/campaigns.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { toShownFiles } from './post-files.ts';
import { toPinFor, toWireExtras } from './post-extras.ts';
import { rate } from './rate.ts';

/** Of the hash, for a file that has no name of its own. */
const NAME_CHARACTERS = 12;

export const campaignReadHandlers: Handlers<typeof campaignReads, { db: Database; timeZone: string }> = {
  async listCampaigns(deps, { body, actor }) {
    const { status, search, limit, sort_by: by, with_reads: withReads, with_post: withPost } = body;
    const page = await listCampaigns(deps, actor, {
      status,
      search,
      createdFrom: body.created_from,
      createdTo: body.created_to,
      limit,
      sort: by && { by, descending: body.descending },
      after: readCursor(body.cursor) ?? null,
      withReads,
      withPost,
      withTotals: body.with_totals,
      withTests: body.with_tests,
    });
    return {
      campaigns: page.campaigns.map((campaign) => ({
        campaign_id: campaign.campaignId,
        name: campaign.name,
        status: campaign.status,
        is_schedule: campaign.isSchedule,
        ...(campaign.isFollowUp && { is_follow_up: true as const }),
        created_at: campaign.createdAt.toISOString(),
        next_run_at: campaign.nextRunAt?.toISOString() ?? null,
        ...(withReads && { recalled: campaign.recalled }),
        ...(withPost && {
          group_count: campaign.groupCount ?? 0,
          media_mime: campaign.mediaMime,
          post_kind: campaign.postKind ?? 'text',
        }),
        progress: {
          deliveries: campaign.deliveries,
          sent: campaign.sent,
          failed: campaign.failed,
          ...(withReads && {
            delivered: campaign.delivered,
            read: campaign.read,
            read_rate: rate(campaign.read, campaign.acknowledging),
          }),
        },
      })),
      ...(page.totals && { totals: page.totals }),
      next_cursor: writeCursor(page.next),
    };
  },

  async getCampaign(deps, { body, actor }) {
    const campaign = await getCampaign(deps, actor, await campaignIdOf(deps, actor, body));
    const wait = await findWait(deps, campaign);
    return {
      ...toWireHead(campaign),
      weekdays: campaign.weekdays,
      skip_dates: campaign.skipDates,
      html: campaign.html,
      text: campaign.text,
      media: campaign.media,
      ...toWireExtras(campaign.extras),
      files: toShownFiles(campaign.files),
      group_metadata_ids: campaign.groupIds,
      runs: campaign.runs.map(toWireRun),
      ...(wait && {
        waits_for: { account_id: wait.accountId, reason: wait.reason, until: wait.until?.toString() ?? null },
      }),
    };
  },

  async listRuns(deps, { body, actor }) {
    const { start_date: startDate, end_date: endDate, limit, cursor } = body;
    const { runs, next } = await listRuns(deps, actor, {
      startDate,
      endDate,
      limit,
      after: readCursor(cursor) ?? 0,
      kind: body.kind,
      groupListId: body.group_list_id,
      withWarnings: body.with_warnings,
      withGroupLists: body.with_post,
    });
    return {
      runs: runs.map((run) => ({
        run_id: run.runId,
        campaign_id: run.campaignId,
        name: run.name,
        campaign_status: run.campaignStatus,
        due_at: run.dueAt.toISOString(),
        status: run.status,
        ...(body.with_counts && {
          group_count: run.groupCount,
          queued: run.queued,
          sent: run.sent,
          failed: run.failed,
        }),
        ...(run.isFollowUp && { is_follow_up: true as const }),
        ...(run.warnings && { warnings: run.warnings }),
        ...(run.groupListId !== undefined && { group_list_id: run.groupListId }),
        ...(body.with_post && { post: toWirePost(run.post) }),
      })),
      next_cursor: writeCursor(next),
    };
  },

  async getMedia(deps, { body, actor, setHeader }) {
    const { mime, extension, size, pieces } = await getMedia(deps, actor, body);
    const name = fileNameOf(body.sha256.slice(0, NAME_CHARACTERS), extension);
    setHeader('content-type', mime);
    setHeader('content-length', String(size));
    setHeader('content-disposition', contentDisposition(name));
    // A still may be replaced; the file never changes.
    setHeader('cache-control', body.still ? 'private, no-cache' : 'private, max-age=31536000, immutable');
    // Opened by itself in a browser, it runs nothing and is of no origin.
    setHeader('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
    return pieces;
  },
};

const ADDING = [campaigns.addCampaign.path, campaigns.addCampaignBatch.path];

/** The schema requires one of both. */
async function campaignIdOf(
  deps: { db: Database },
  actor: Actor,
  { campaign_id: campaignId, idempotency_key: key = '' }: z.output<typeof getCampaignBody>,
): Promise<string> {
  return campaignId ?? findByIdempotencyKey(deps, actor, { key, operations: ADDING });
}

/** A campaign's head as the wire has it. */
export function toWireHead(campaign: OwnCampaign) {
  return {
    campaign_id: campaign.publicId,
    name: campaign.name,
    desc: campaign.description,
    status: campaign.status,
    ...(campaign.pauseReason !== null && { pause_reason: explainPause(campaign.pauseReason) }),
    is_channel_campaign: campaign.isChannelCampaign,
    is_schedule: campaign.isSchedule,
    start_date: campaign.startDate,
    end_date: campaign.endDate,
    schedule_time: campaign.scheduleTime,
    time_zone: campaign.timeZone,
    created_at: campaign.createdAt.toISOString(),
    finished_at: campaign.finishedAt?.toISOString() ?? null,
    ...(campaign.foldedAt && { folded_at: campaign.foldedAt.toISOString() }),
  };
}

/** A run as the wire has it. */
export function toWireRun(run: RunDetails) {
  return {
    run_id: run.runId,
    due_at: run.dueAt.toISOString(),
    ...(run.movedFrom && { moved_from: run.movedFrom.toISOString() }),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    status: run.status,
    queued: run.queued,
    sent: run.sent,
    failed: run.failed,
    cancelled: run.cancelled,
    ...(run.skipped > 0 && { skipped: run.skipped }),
  };
}

function toWirePost({ kind, eventStartAt, mentionsAll, pinSeconds, isReply }: ListedPost) {
  return {
    kind,
    event_start_at: eventStartAt,
    mention_all: mentionsAll,
    pin_for: toPinFor(pinSeconds),
    is_reply: isReply,
  };
}
