import type { Actor } from '../../audit/record-audit.ts';
import { addCampaign } from '../../campaigns/add-campaign.ts';
import { addScheduledCampaign } from '../../campaigns/add-scheduled-campaign.ts';
import type { CheckDeps } from '../../campaigns/check-campaign.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../campaigns/control.ts';
import { getCampaign, type RunDetails } from '../../campaigns/get-campaign.ts';
import { listCampaigns } from '../../campaigns/list-campaigns.ts';
import { retryCampaign } from '../../campaigns/retry-campaign.ts';
import { previewCampaign } from '../../campaigns/preview-campaign.ts';
import { updateCampaign } from '../../campaigns/update-campaign.ts';
import * as wire from '../contract/campaigns.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { toWireHead } from './campaign-head.ts';
import { HTML_LIMIT_BYTES, POST_LIMIT_BYTES, toPost, toSchedule, toSendNow } from './campaign-post.ts';
import { checkCampaignOperation } from './check-campaign.ts';
import { duplicateCampaignOperation } from './duplicate-campaign.ts';
import { getMediaOperation } from './get-media.ts';
import { listRunsOperation } from './list-runs.ts';
import { reviseCampaignOperations } from './revise-campaign.ts';

export function campaignOperations(deps: CheckDeps): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/venom/add-campaign',
      access: 'bearer',
      scope: 'send',
      tag: 'Campaigns',
      summary: 'Send a campaign to groups now',
      description: 'Accepted means durable: once this answers, no crash loses any of its deliveries.',
      body: wire.addCampaignBody,
      data: wire.addCampaignData,
      bodyLimitBytes: POST_LIMIT_BYTES,
      mayUpload: true,
      fileField: 'image',
      errors: [404, 409],
      idempotent: true,
      async handle({ body, file, actor, idempotencyKey }) {
        const post = { ...toPost(body, file), ...toSendNow(body) };
        const accepted = await addCampaign(deps, actor, post, idempotencyKey);
        return {
          campaign_id: accepted.campaignId,
          status: 'running' as const,
          group_count: accepted.groupCount,
          scheduled_for: null,
        };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/add-campaign-batch',
      access: 'bearer',
      scope: 'send',
      tag: 'Campaigns',
      summary: 'Schedule a campaign for a date range and a time of day',
      description:
        'One run on each date, at that wall-clock time in the zone. A time that a clock change skips runs at the same instant as if the clock had not yet changed; one that occurs twice runs the first time. Occurrences already past are skipped.',
      body: wire.addCampaignBatchBody,
      data: wire.addCampaignBatchData,
      bodyLimitBytes: POST_LIMIT_BYTES,
      mayUpload: true,
      fileField: 'image',
      errors: [404, 409],
      idempotent: true,
      answerHeaders: { 'x-campaign-id': 'The id of the new campaign.' },
      async handle({ body, file, actor, idempotencyKey, setHeader }) {
        const post = { ...toPost(body, file), ...toSchedule(body) };
        const { campaignId } = await addScheduledCampaign(deps, actor, post, idempotencyKey);
        setHeader('x-campaign-id', campaignId);
        return { data: true as const };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/preview-campaign',
      access: 'bearer',
      scope: 'read',
      tag: 'Campaigns',
      summary: 'See the very text that would be sent',
      body: wire.previewBody,
      data: wire.previewData,
      bodyLimitBytes: HTML_LIMIT_BYTES,
      errors: [],
      handle: ({ body, caller }) => previewCampaign(deps, caller.userId, body.html),
    }),
    checkCampaignOperation(deps),
    duplicateCampaignOperation(deps),
    getMediaOperation(deps),
    listRunsOperation(deps),
    defineOperation({
      path: '/api/v1/venom/list-campaigns',
      access: 'bearer',
      scope: 'read',
      tag: 'Campaigns',
      summary: 'List your campaigns, newest first',
      body: wire.listCampaignsBody,
      data: wire.listCampaignsData,
      errors: [],
      async handle({ body, caller }) {
        const { status, search, limit } = body;
        const before = readCursor(body.cursor) ?? null;
        const page = await listCampaigns(deps, caller.userId, { status, search, limit, before });
        return {
          campaigns: page.campaigns.map((campaign) => ({
            campaign_id: campaign.campaignId,
            name: campaign.name,
            status: campaign.status,
            is_schedule: campaign.isSchedule,
            created_at: campaign.createdAt.toISOString(),
            next_run_at: campaign.nextRunAt?.toISOString() ?? null,
            progress: {
              deliveries: campaign.deliveries,
              sent: campaign.sent,
              failed: campaign.failed,
              ...(body.with_reads && { delivered: campaign.delivered, read: campaign.read }),
            },
          })),
          next_cursor: writeCursor(page.next),
        };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/get-campaign',
      access: 'bearer',
      scope: 'read',
      tag: 'Campaigns',
      summary: 'Read one campaign with its post, groups and runs',
      body: wire.campaignBody,
      data: wire.getCampaignData,
      errors: [404],
      async handle({ body, caller }) {
        const campaign = await getCampaign(deps, caller.userId, body.campaign_id);
        return {
          ...toWireHead(campaign),
          weekdays: campaign.weekdays,
          skip_dates: campaign.skipDates,
          html: campaign.html,
          text: campaign.text,
          media: campaign.media,
          group_metadata_ids: campaign.groupIds,
          runs: campaign.runs.map(toWireRun),
        };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/update-campaign',
      access: 'bearer',
      scope: 'send',
      tag: 'Campaigns',
      summary: 'Change a scheduled campaign',
      description:
        'Fields that are left out or `null` stay as they are. Runs that have begun do not change; another schedule replaces those still planned, and a date that had its run gets no second one.',
      body: wire.updateCampaignBody,
      data: wire.controlledData,
      bodyLimitBytes: POST_LIMIT_BYTES,
      mayUpload: true,
      fileField: 'image',
      errors: [404, 409],
      async handle({ body, file, actor }) {
        const { campaignId, status } = await updateCampaign(deps, actor, body.campaign_id, {
          name: body.name,
          description: body.desc,
          html: body.html,
          image: file ?? body.image,
          removeImage: body.remove_image,
          groupIds: body.group_metadata_ids,
          isChannelCampaign: body.is_channel_campaign,
          startDate: body.start_date,
          endDate: body.end_date,
          time: body.schedule_time,
          timeZone: body.time_zone,
          weekdays: body.weekdays,
          skipDates: body.skip_dates,
        });
        return { campaign_id: campaignId, status };
      },
    }),
    ...reviseCampaignOperations(deps),
    controlOperation('pause', 'Pause a campaign', (actor, id) => pauseCampaign(deps, actor, id)),
    controlOperation('resume', 'Go on with a paused campaign', (actor, id) => resumeCampaign(deps, actor, id)),
    controlOperation('cancel', 'Cancel a campaign', (actor, id) => cancelCampaign(deps, actor, id)),
    controlOperation('retry', 'Queue the failed deliveries of a campaign again', (actor, id) =>
      retryCampaign(deps, actor, id),
    ),
  ];
}

const AT_MOST_A_TURN = 'After the answer at most the turn in hand still leaves.';

const CONTROLS = {
  pause: AT_MOST_A_TURN,
  resume: 'Runs that fell due meanwhile begin now, unless that was more than 6 hours ago: then they are missed.',
  cancel: AT_MOST_A_TURN,
  retry:
    'Each keeps its message id and text. Runs that had ended are under way again and expire 24 hours after this at the earliest, or when the next run of the campaign falls due. What may have arrived already is looked for where the messaging application would show it twice.',
} as const;

function controlOperation(
  verb: keyof typeof CONTROLS,
  summary: string,
  act: (actor: Actor, campaignId: string) => ReturnType<typeof pauseCampaign>,
): Operation {
  return defineOperation({
    path: `/api/v1/venom/${verb}-campaign`,
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary,
    description: CONTROLS[verb],
    body: wire.campaignBody,
    data: wire.controlledData,
    errors: [404, 409],
    async handle({ body, actor }) {
      const { campaignId, status } = await act(actor, body.campaign_id);
      return { campaign_id: campaignId, status };
    },
  });
}

/** A run as the wire has it. */
export function toWireRun(run: RunDetails) {
  return {
    run_id: run.runId,
    due_at: run.dueAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    status: run.status,
    queued: run.queued,
    sent: run.sent,
    failed: run.failed,
    cancelled: run.cancelled,
  };
}
