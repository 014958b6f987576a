/** Operations on existing campaigns: pause, cancel, recall, delete (contract §4). */
import { postFieldsBody } from './post-extras.ts';
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
import { count, instant, optional, withDefault, zonedInstant, named } from './fields.ts';
import { fetchLinkPreview, linkPreviewField } from './link-preview.ts';
import { pinFor } from './post-extras.ts';

const recallCampaignBody = campaignBody.extend({
  run_id: optional(z.int()).describe('Only this run. Default: the whole campaign.'),
});

const revisedData = z.object({
  campaign_id: campaignId,
  groups: count.describe('Number of groups with sent posts to change. An upper bound beyond 2,000 deliveries.'),
});

const pinnedData = named('PinRequested', {
  campaign_id: campaignId,
  run_id: count,
  groups: count.describe('Number of groups with a sent post to pin or unpin.'),
});

const runBody = campaignBody.extend({
  run_id: z.int().meta({ description: 'A run of the campaign that has not begun.', examples: [1] }),
});
const latestRunBody = campaignBody.extend({
  run_id: optional(z.int()).describe('Default: the latest run that has begun.'),
});
const movedRunData = z.object({ campaign_id: campaignId, run_id: count, due_at: instant });

const AT_MOST_A_TURN = 'After the answer, at most the turn in hand is still sent.';

/** Of operations on a campaign, on a run that has not begun, and on sent posts. */
const STATE_ERRORS = ['campaign_not_found', 'campaign_wrong_state', 'account_stopped'] as const;
const RUN_ERRORS = [...STATE_ERRORS, 'run_not_found', 'run_wrong_state'] as const;
const SENT_ERRORS = ['campaign_not_found', 'run_not_found', 'campaign_folded', 'nothing_sent'] as const;

const shared = { tag: 'Campaigns', access: 'send' } as const;

export const campaignControl = defineOperations(shared, {
  pauseCampaign: {
    path: '/api/v1/venom/pause-campaign',
    summary: 'Pause a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: STATE_ERRORS,
  },
  resumeCampaign: {
    path: '/api/v1/venom/resume-campaign',
    summary: 'Resume a paused campaign',
    description: 'Runs that fell due during the pause begin now, unless that was over 6 hours ago: those are missed.',
    body: campaignBody,
    data: campaignStatusData,
    errors: STATE_ERRORS,
  },
  cancelCampaign: {
    path: '/api/v1/venom/cancel-campaign',
    summary: 'Cancel a campaign',
    description: AT_MOST_A_TURN,
    body: campaignBody,
    data: campaignStatusData,
    errors: STATE_ERRORS,
  },
  retryCampaign: {
    path: '/api/v1/venom/retry-campaign',
    summary: 'Retry the failed deliveries of a campaign',
    description:
      'Each delivery keeps its text. Those that surely have not left get senders as if the run began now; another account has message ids of its own. A post that may have left by an account that was removed stays failed, unless `accept_duplicates` is true.',
    body: campaignBody
      .extend({
        accept_duplicates: acceptDuplicates,
        leave_unknown: withDefault(z.boolean(), false).describe(
          'Leave posts that may have arrived, and count them in `left_unknown`.',
        ),
        run_id: optional(z.int()).describe('Only this run. Default: the whole campaign.'),
      })
      .meta({ id: 'RetryCampaign' }),
    data: campaignStatusData,
    errors: [
      ...STATE_ERRORS,
      'run_not_found',
      'campaign_folded',
      'campaign_media_gone',
      'nothing_failed',
      'sender_removed',
    ],
  },
  skipRun: {
    path: '/api/v1/venom/skip-run',
    summary: 'Leave a run out',
    description:
      'Removes a run that has not begun, and adds its date to the `skip_dates` of the campaign. A run that was missed, or ended with failed posts, stays with its figures, and is `left_out` in `list-runs`. The last run of a campaign cannot be skipped: cancel the campaign instead.',
    body: runBody,
    data: campaignStatusData,
    errors: RUN_ERRORS,
  },
  moveRun: {
    path: '/api/v1/venom/move-run',
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
    errors: [...RUN_ERRORS, 'mention_cap_reached', 'approval_required'],
  },
  sendRunNow: {
    path: '/api/v1/venom/send-run-now',
    summary: 'Begin a planned or missed run now',
    description:
      'Like `move-run` to this moment. A run that was missed is planned again, as its campaign says now. Not for paused campaigns. Repeating it is a 409 once the run has begun.',
    body: runBody,
    data: movedRunData,
    errors: [...RUN_ERRORS, 'campaign_folded', 'campaign_media_gone', 'mention_cap_reached', 'approval_required'],
  },
  recallCampaign: {
    path: '/api/v1/venom/recall-campaign',
    summary: 'Recall a campaign or a run',
    description:
      "Deletes sent posts for everyone, where the messaging application still allows it, at the account's pace. Deliveries that have not been sent are cancelled; without `run_id`, the whole campaign is. The analytics show the outcome per group: `recalled`, or the reason in `last_error`.",
    body: recallCampaignBody,
    data: revisedData,
    errors: [...SENT_ERRORS, 'too_late'],
  },
  correctCampaign: {
    path: '/api/v1/venom/correct-campaign',
    summary: 'Correct the text of a campaign or a run',
    description:
      'Edits sent posts, where the messaging application still allows it. Posts that have not been sent get the new text; without `run_id`, those of later runs do, too. Files and recalled posts stay as they are. A further correction replaces the pending part of the previous one.',
    body: recallCampaignBody.extend({
      ...htmlBody.shape,
      translations: htmlBody.shape.translations.describe(
        'As in add-campaign. Required if the posts have some; `[]` is none.',
      ),
      with_fields: htmlBody.shape.with_fields.describe('As in add-campaign. Default: as the campaign has it.'),
      on_missing_value: postFieldsBody.on_missing_value.describe(
        'As in add-campaign; posts that are left out stay. Default: as the campaign has it.',
      ),
      link_preview: linkPreviewField,
      fetch_link_preview: fetchLinkPreview,
    }),
    data: revisedData,
    errors: [
      ...SENT_ERRORS,
      'too_late',
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
    summary: 'Pin the posts of a run',
    description:
      "Pins the sent posts of the run in their groups, at the account's pace; posts of it that are sent later are pinned then. A pinned post stays pinned for so long from now on. Channels are skipped.",
    body: latestRunBody.extend({ pin_for: pinFor }),
    data: pinnedData,
    errors: SENT_ERRORS,
  },
  unpinCampaign: {
    path: '/api/v1/venom/unpin-campaign',
    summary: 'Unpin the posts of a run',
    description: 'Posts of the run that are sent later are not pinned.',
    body: latestRunBody,
    data: pinnedData,
    errors: SENT_ERRORS,
  },
  deleteCampaign: {
    path: '/api/v1/venom/delete-campaign',
    summary: 'Delete a campaign',
    description:
      'Removes a campaign that is not running from all lists and statistics, including the overview. Members keep the posts that they have received: to delete them, recall the campaign first.',
    body: campaignBody,
    errors: ['campaign_not_found', 'campaign_wrong_state', 'campaign_revising'],
    idempotency: 'keyed',
  },
});
