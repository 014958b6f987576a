import { updateCampaign } from '../../../sending/campaigns/change/update-campaign.ts';
import type { AcceptDeps } from '../../../sending/campaigns/accept/accept-campaign.ts';
import { updateCampaignBody, controlledData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { findProblemsOfPost, POST_LIMIT_BYTES } from './campaign-post.ts';

export function updateCampaignOperation(deps: AcceptDeps & { timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/update-campaign',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Change a scheduled campaign',
    description:
      'Fields that are left out or `null` stay as they are. Runs that have begun do not change; another schedule replaces those still planned, and a date that had its run gets no second one.',
    body: updateCampaignBody,
    data: controlledData,
    bodyLimitBytes: POST_LIMIT_BYTES,
    shedFirst: true,
    errors: [404, 409, 507],
    requiresDiskSpace: true,
    validateSemantics: findProblemsOfPost(deps),
    async handle({ body, actor }) {
      const { campaignId, status } = await updateCampaign(deps, actor, body.campaign_id, {
        name: body.name,
        description: body.desc,
        html: body.html,
        image: body.image,
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
  });
}
