/** Operations on existing campaigns: pause, cancel, recall, delete (contract §4). */
import { z } from 'zod';
import { campaignBody, campaignId, campaignStatusData, CORRECTION_LIMIT_BYTES, htmlBody } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { fetchLinkPreview, linkPreviewField } from './link-preview.ts';
import { count, nothingData, optional } from './fields.ts';
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

const AT_MOST_A_TURN = 'After the answer, at most the turn in hand is still sent.';

export const campaignControl = defineOperations('Campaigns', {
  pauseCampaign: {
    path: '/api/v1/venom/pause-campaign',
    access: 'send',
    summary: 'Pause a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  resumeCampaign: {
    path: '/api/v1/venom/resume-campaign',
    access: 'send',
    summary: 'Resume a paused campaign',
    description: 'Runs that fell due during the pause begin now, unless that was over 6 hours ago: those are missed.',
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  cancelCampaign: {
    path: '/api/v1/venom/cancel-campaign',
    access: 'send',
    summary: 'Cancel a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'],
  },
  retryCampaign: {
    path: '/api/v1/venom/retry-campaign',
    access: 'send',
    summary: 'Retry the failed deliveries of a campaign',
    description:
      'Each delivery keeps its message id and text. Ended runs are running again, and expire after 24 hours at the earliest or when the next run of the campaign falls due. If the messaging application does not drop duplicates, the service first looks for posts that may have arrived.',
    body: campaignBody,
    data: campaignStatusData,
    errors: [
      'campaign_not_found',
      'campaign_wrong_state',
      'account_stopped',
      'campaign_folded',
      'campaign_media_gone',
      'nothing_failed',
    ],
  },
  recallCampaign: {
    path: '/api/v1/venom/recall-campaign',
    access: 'send',
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
      'media_busy',
      'storage_full',
    ],
    bodyLimitBytes: CORRECTION_LIMIT_BYTES,
  },
  pinCampaign: {
    path: '/api/v1/venom/pin-campaign',
    access: 'send',
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
    summary: 'Delete a campaign',
    description:
      'Removes a campaign that is not running from all lists and statistics, including the overview. Members keep the posts that they have received: to delete them, recall the campaign first.',
    body: campaignBody,
    data: nothingData,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'campaign_revising'],
    idempotency: 'keyed',
  },
});
