import { duplicateCampaign, type CampaignCopy } from '../../../sending/campaigns/accept/duplicate-campaign.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { campaignBody } from '../../contract/campaigns.ts';
import { duplicateCampaignData } from '../../contract/duplicate-campaign.ts';
import { LongText } from '../../contract/long-text.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function duplicateCampaignOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/duplicate-campaign',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'Read a campaign as the body that sends it again',
    description:
      'Nothing is sent: give `data` to `add-campaign`, or to `add-campaign-batch` where `is_schedule` is true. The dates of a schedule that is over are moved ahead by whole weeks.',
    body: campaignBody,
    data: duplicateCampaignData,
    shedFirst: true,
    longAnswer: 'pieces',
    errors: [404],
    handle: async ({ body, actor }) => toWire(await duplicateCampaign(deps, actor, body.campaign_id)),
  });
}

function toWire({ schedule, ...copy }: CampaignCopy) {
  const post = {
    name: copy.name,
    desc: copy.description,
    html: copy.html,
    image: copy.image && new LongText(copy.image),
    group_metadata_ids: copy.groupIds,
    is_channel_campaign: copy.isChannelCampaign,
  };
  if (schedule === null) return { ...post, is_schedule: false as const, schedule_time: copy.scheduleTime };
  return {
    ...post,
    is_schedule: true as const,
    start_date: schedule.startDate,
    end_date: schedule.endDate,
    schedule_time: schedule.time,
    time_zone: schedule.timeZone,
    weekdays: schedule.weekdays === null ? null : [...schedule.weekdays],
    skip_dates: [...schedule.skipDates],
  };
}
