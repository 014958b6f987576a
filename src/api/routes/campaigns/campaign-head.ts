import type { OwnCampaign } from '../../../sending/campaigns/store.ts';

/** A campaign's head as the wire has it. */
export function toWireHead(campaign: OwnCampaign) {
  return {
    campaign_id: campaign.publicId,
    name: campaign.name,
    desc: campaign.description,
    status: campaign.status,
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
