import type { Database } from '../../platform/database/statements.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  type ControlDeps,
} from '../../sending/campaigns/change/control.ts';
import { correctCampaign, type CorrectDeps } from '../../sending/campaigns/change/correct-campaign.ts';
import { deleteCampaign } from '../../sending/campaigns/change/delete-campaign.ts';
import { moveRun, sendRunNow, skipRun } from '../../sending/campaigns/change/move-run.ts';
import { pinCampaign, unpinCampaign } from '../../sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../sending/campaigns/change/recall-campaign.ts';
import { retryCampaign, type RetryDeps } from '../../sending/campaigns/change/retry-campaign.ts';
import type { campaignControl } from '../contract/campaign-control.ts';
import type { Handlers } from '../operation.ts';
import { toLeavesOut } from './campaigns.ts';
import { toCardRequest } from './link-preview.ts';
import { PIN_SECONDS } from './post-extras.ts';

export type CampaignControlDeps = ControlDeps & RetryDeps & CorrectDeps & { db: Database; timeZone: string };

export const campaignControlHandlers: Handlers<typeof campaignControl, CampaignControlDeps> = {
  pauseCampaign: (deps, { body, actor }) => pauseCampaign(deps, actor, body.campaignId),
  resumeCampaign: (deps, { body, actor }) => resumeCampaign(deps, actor, body.campaignId),
  cancelCampaign: (deps, { body, actor }) => cancelCampaign(deps, actor, body.campaignId),
  retryCampaign: (deps, { body, actor }) => retryCampaign(deps, actor, body.campaignId, body),

  skipRun: (deps, { body, actor }) => skipRun(deps, actor, body),
  moveRun: (deps, { body, actor }) => moveRun(deps, actor, body, new Date(body.dueAt)),
  sendRunNow: (deps, { body, actor }) => sendRunNow(deps, actor, body),

  recallCampaign: (deps, { body: { campaignId, runId = null }, actor }) =>
    recallCampaign(deps, actor, { campaignId, runId }),

  async correctCampaign(deps, { body, actor, warn }) {
    const { campaignId, runId = null, html, onUnknownTags: unknownTags, withFields, translations } = body;
    const leavesOut = toLeavesOut(body.onMissingValue);
    const cardRequest = toCardRequest(body);
    const said = { html, unknownTags, withFields, leavesOut, translations, cardRequest };
    const { groups, warnings } = await correctCampaign(deps, actor, { campaignId, runId, ...said });
    warn(warnings);
    return { campaignId, groups };
  },

  async pinCampaign(deps, { body: { campaignId, runId = null, pinFor }, actor, warn }) {
    const pinned = await pinCampaign(deps, actor, { campaignId, runId, seconds: PIN_SECONDS[pinFor] });
    const { channels } = pinned;
    if (channels > 0) warn([`Posts in channels cannot be pinned: ${channels} of them are left out`]);
    return pinned;
  },

  unpinCampaign: (deps, { body: { campaignId, runId = null }, actor }) =>
    unpinCampaign(deps, actor, { campaignId, runId }),

  deleteCampaign: (deps, { body, actor, idempotencyKey }) =>
    deleteCampaign(deps, actor, body.campaignId, idempotencyKey),
};
