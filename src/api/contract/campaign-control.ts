/** Operations on existing campaigns: pause, cancel, recall, delete (contract §4). */
import { z } from 'zod';
import {
  acceptDuplicates,
  campaignBody,
  campaignId,
  campaignStatusData,
  CORRECTION_LIMIT_BYTES,
  htmlBody,
} from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, nothingData, optional, zonedInstant } from './fields.ts';
import { fetchLinkPreview, linkPreviewField } from './link-preview.ts';
import { pinFor } from './post-extras.ts';

const recallCampaignBody = campaignBody.extend({
  run_id: optional(z.int()).meta({ description: 'Only this run. Default: the whole campaign.' }),
});

const revisedData = z.object({
  campaign_id: campaignId,
  groups: count.meta({
    description: 'Number of groups with sent posts to change. An upper bound beyond 2,000 deliveries.',
  }),
});

const pinnedData = z
  .object({
    campaign_id: campaignId,
    run_id: count,
    groups: count.meta({ description: 'Number of groups with a sent post to pin or unpin.' }),
  })
  .meta({ id: 'PinRequested' });

const runBody = campaignBody.extend({
  run_id: z.int().meta({ description: 'A run of the campaign that has not begun.', examples: [1] }),
});
const movedRunData = z.object({ campaign_id: campaignId, run_id: count, due_at: instant });

const AT_MOST_A_TURN = 'After the answer, at most the turn in hand is still sent.';

export const campaignControl = defineOperations('Campaigns', {
  pauseCampaign: {
    path: '/api/v1/venom/pause-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Pause a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  resumeCampaign: {
    path: '/api/v1/venom/resume-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Resume a paused campaign',
    description: 'Runs that fell due during the pause begin now, unless that was over 6 hours ago: those are missed.',
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  cancelCampaign: {
    path: '/api/v1/venom/cancel-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Cancel a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  retryCampaign: {
    path: '/api/v1/venom/retry-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Retry the failed deliveries of a campaign',
    description:
      'Each delivery keeps its text. Those that surely have not left get senders as if the run began now; another account has message ids of its own. A post that may have left by an account that was removed stays failed, unless `accept_duplicates` is true. Ended runs are running again, and expire after 24 hours at the earliest or when the next run of the campaign falls due. If the messaging application does not drop duplicates, the service first looks for posts that may have arrived.',
    body: campaignBody.extend({ accept_duplicates: acceptDuplicates }).meta({ id: 'RetryCampaign' }),
    data: campaignStatusData,
    errors: [
      'campaign_not_found',
      'campaign_wrong_state',
      'account_stopped',
      'campaign_folded',
      'campaign_media_gone',
      'nothing_failed',
      'sender_removed',
    ],
  },
  skipRun: {
    path: '/api/v1/venom/skip-run',
    access: 'send',
    role: 'manager',
    summary: 'Leave a planned run out',
    description:
      'Removes a run that has not begun, and adds its date to the `skip_dates` of the campaign. The last run of a campaign cannot be skipped: cancel the campaign instead.',
    body: runBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'run_not_found', 'campaign_wrong_state', 'run_wrong_state', 'account_stopped'],
  },
  moveRun: {
    path: '/api/v1/venom/move-run',
    access: 'send',
    role: 'manager',
    summary: 'Move a planned run to another time',
    description:
      'The run keeps its place in the schedule: a later change of the schedule keeps it, as long as the schedule has a run on that date, and adds none for it.',
    body: runBody.extend({
      due_at: zonedInstant.meta({
        description: 'In the future, and at most 366 days from the time that the schedule gives the run.',
        examples: ['2026-12-01T10:30:00+01:00'],
      }),
    }),
    data: movedRunData,
    errors: [
      'campaign_not_found',
      'run_not_found',
      'campaign_wrong_state',
      'run_wrong_state',
      'mention_cap_reached',
      'approval_required',
      'account_stopped',
    ],
  },
  sendRunNow: {
    path: '/api/v1/venom/send-run-now',
    access: 'send',
    role: 'manager',
    summary: 'Begin a planned run now',
    description:
      'Like `move-run` to this moment. Not for paused campaigns. Repeating it is a 409 once the run has begun.',
    body: runBody,
    data: movedRunData,
    errors: [
      'campaign_not_found',
      'run_not_found',
      'campaign_wrong_state',
      'run_wrong_state',
      'mention_cap_reached',
      'approval_required',
      'account_stopped',
    ],
  },
  recallCampaign: {
    path: '/api/v1/venom/recall-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Recall a campaign or a run',
    description:
      "Deletes sent posts for everyone, where the messaging application still allows it, at the account's pace. Deliveries that have not been sent are cancelled; without `run_id`, the whole campaign is. The analytics show the outcome per group: `recalled`, or the reason in `last_error`.",
    body: recallCampaignBody,
    data: revisedData,
    errors: ['campaign_not_found', 'run_not_found', 'campaign_folded', 'nothing_sent'],
  },
  correctCampaign: {
    path: '/api/v1/venom/correct-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Correct the text of a campaign or a run',
    description:
      'Edits sent posts, where the messaging application still allows it. Posts that have not been sent get the new text; without `run_id`, those of later runs do, too. Files and recalled posts stay as they are. A link preview stays while the text has its link. A further correction replaces the pending part of the previous one. The analytics show the outcome per group: `corrected`, or the reason in `last_error`.',
    body: recallCampaignBody.extend({
      ...htmlBody.shape,
      link_preview: linkPreviewField,
      fetch_link_preview: fetchLinkPreview,
    }),
    data: revisedData,
    errors: [
      'campaign_not_found',
      'run_not_found',
      'campaign_folded',
      'nothing_sent',
      'poll_not_correctable',
      'campaign_wrong_state',
      'approval_required',
      'media_busy',
      'storage_full',
    ],
    bodyLimitBytes: CORRECTION_LIMIT_BYTES,
  },
  pinCampaign: {
    path: '/api/v1/venom/pin-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Pin the posts of a run',
    description:
      "Pins the sent posts of the run in their groups, at the account's pace; posts of it that are sent later are pinned then. A pinned post stays pinned for so long from now on. The analytics show the outcome per group: `pinned`, or the reason in `pin_error`. A group where only admins may pin needs you as an admin. Channels are skipped.",
    body: recallCampaignBody.extend({
      run_id: optional(z.int()).meta({ description: 'Default: the latest run that has begun.' }),
      pin_for: pinFor,
    }),
    data: pinnedData,
    errors: ['campaign_not_found', 'run_not_found', 'campaign_folded', 'nothing_sent'],
  },
  unpinCampaign: {
    path: '/api/v1/venom/unpin-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Unpin the posts of a run',
    description: 'Posts of the run that are sent later are not pinned.',
    body: recallCampaignBody.extend({
      run_id: optional(z.int()).meta({ description: 'Default: the latest run that has begun.' }),
    }),
    data: pinnedData,
    errors: ['campaign_not_found', 'run_not_found', 'campaign_folded', 'nothing_sent'],
  },
  deleteCampaign: {
    path: '/api/v1/venom/delete-campaign',
    access: 'send',
    role: 'manager',
    summary: 'Delete a campaign',
    description:
      'Removes a campaign that is not running from all lists and statistics, including the overview. Members keep the posts that they have received: to delete them, recall the campaign first.',
    body: campaignBody,
    data: nothingData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'campaign_revising'],
    idempotency: 'keyed',
  },
});
