import type { Database } from '../../platform/database/connect.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  type Controlled,
  type ControlDeps,
} from '../../sending/campaigns/change/control.ts';
import { correctCampaign, type CorrectDeps } from '../../sending/campaigns/change/correct-campaign.ts';
import { deleteCampaign } from '../../sending/campaigns/change/delete-campaign.ts';
import { moveRun, sendRunNow, type MovedRun, type RunOfCampaign } from '../../sending/campaigns/change/move-run.ts';
import { pinCampaign, unpinCampaign, type PinRequested } from '../../sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../sending/campaigns/change/recall-campaign.ts';
import { skipRun } from '../../sending/campaigns/change/skip-run.ts';
import { retryCampaign, type RetryDeps } from '../../sending/campaigns/change/retry-campaign.ts';
import type { campaignControl } from '../contract/campaign-control.ts';
import type { Handlers } from '../operation.ts';
import { toCardRequest } from './link-preview.ts';
import { PIN_SECONDS } from './post-extras.ts';

export type CampaignControlDeps = ControlDeps & RetryDeps & CorrectDeps & { db: Database; timeZone: string };

export const campaignControlHandlers: Handlers<typeof campaignControl, CampaignControlDeps> = {
  pauseCampaign: async (deps, { body, actor }) => toWire(await pauseCampaign(deps, actor, body.campaign_id)),
  resumeCampaign: async (deps, { body, actor }) => toWire(await resumeCampaign(deps, actor, body.campaign_id)),
  cancelCampaign: async (deps, { body, actor }) => toWire(await cancelCampaign(deps, actor, body.campaign_id)),
  retryCampaign: async (deps, { body, actor }) =>
    toWire(await retryCampaign(deps, actor, body.campaign_id, { acceptDuplicates: body.accept_duplicates })),

  skipRun: async (deps, { body, actor }) => toWire(await skipRun(deps, actor, toTarget(body))),

  async moveRun(deps, { body, actor }) {
    return toWireRun(await moveRun(deps, actor, toTarget(body), new Date(body.due_at)));
  },

  async sendRunNow(deps, { body, actor }) {
    return toWireRun(await sendRunNow(deps, actor, toTarget(body)));
  },

  async recallCampaign(deps, { body, actor }) {
    const recall = { campaignId: body.campaign_id, runId: body.run_id ?? null };
    const { campaignId, groups } = await recallCampaign(deps, actor, recall);
    return { campaign_id: campaignId, groups };
  },

  async correctCampaign(deps, { body, actor, warn }) {
    const { campaign_id: campaignId, run_id: runId = null, html, on_unknown_tags: unknownTags } = body;
    const cardRequest = toCardRequest(body);
    const correction = { campaignId, runId, html, unknownTags, cardRequest };
    const { groups, warnings } = await correctCampaign(deps, actor, correction);
    warn(warnings);
    return { campaign_id: campaignId, groups };
  },

  async pinCampaign(deps, { body, actor, warn }) {
    const { campaign_id: campaignId, run_id: runId = null, pin_for: pinFor } = body;
    const { channels, ...pinned } = await pinCampaign(deps, actor, { campaignId, runId, seconds: PIN_SECONDS[pinFor] });
    if (channels > 0) warn([`Posts in channels cannot be pinned: ${channels} of them are left out`]);
    return toWirePinned(pinned);
  },

  async unpinCampaign(deps, { body, actor }) {
    const { campaign_id: campaignId, run_id: runId = null } = body;
    return toWirePinned(await unpinCampaign(deps, actor, { campaignId, runId }));
  },

  async deleteCampaign(deps, { body, actor, idempotencyKey }) {
    await deleteCampaign(deps, actor, body.campaign_id, idempotencyKey);
    return {};
  },
};

function toWirePinned({ campaignId, runId, groups }: Omit<PinRequested, 'channels'>) {
  return { campaign_id: campaignId, run_id: runId, groups };
}

function toTarget({ campaign_id: campaignId, run_id: runId }: { campaign_id: string; run_id: number }): RunOfCampaign {
  return { campaignId, runId };
}

function toWireRun({ campaignId, runId, dueAt }: MovedRun) {
  return { campaign_id: campaignId, run_id: runId, due_at: dueAt.toISOString() };
}

function toWire({ campaignId, status }: Controlled) {
  return { campaign_id: campaignId, status };
}
