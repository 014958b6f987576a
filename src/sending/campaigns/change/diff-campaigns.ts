import { diffValues, type Change, type Values } from '../../../workspaces/audit/diff-values.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { EXTRAS_FIELDS, EXTRAS_NAMES } from '../../../content/post/post-extras.ts';
import { diffGroups } from '../../groups/diff-groups.ts';
import { findOwnCampaign, readContent, type Content, type OwnCampaign } from '../store.ts';

interface WholeCampaign {
  campaign: OwnCampaign;
  content: Content;
}

/** Returns what has changed in a campaign since `before` was read, for the audit log. */
export async function diffCampaigns(
  trx: Connection,
  workspaceId: WorkspaceId,
  before: WholeCampaign,
): Promise<Change[]> {
  const { campaignId, publicId } = before.campaign;
  const after = {
    campaign: await findOwnCampaign(trx, workspaceId, publicId),
    content: await readContent(trx, campaignId),
  };
  return [
    ...diffValues(valuesOf(before), valuesOf(after)),
    ...(await diffGroups(trx, before.content.groupIds, after.content.groupIds)),
  ];
}

function valuesOf({ campaign, content: { text, mediaId, extras } }: WholeCampaign): Values {
  return {
    name: campaign.name,
    description: campaign.description,
    is_channel_campaign: campaign.isChannelCampaign,
    start_date: campaign.startDate,
    end_date: campaign.endDate,
    schedule_time: campaign.scheduleTime,
    time_zone: campaign.timeZone,
    weekdays: campaign.weekdays ?? [],
    skip_dates: campaign.skipDates,
    text,
    media_id: mediaId,
    ...Object.fromEntries(EXTRAS_NAMES.map((name) => [EXTRAS_FIELDS[name], extras[name] ?? null])),
  };
}
