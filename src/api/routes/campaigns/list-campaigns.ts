import { listCampaigns } from '../../../sending/campaigns/read/list-campaigns.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { listCampaignsBody, listCampaignsData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { rate } from '../rate.ts';
import { readCursor, writeCursor } from '../cursor.ts';

export function listCampaignsOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-campaigns',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'List your campaigns',
    body: listCampaignsBody,
    data: listCampaignsData,
    errors: [],
    async handle({ body, actor }) {
      const { status, search, limit, sort_by: by, with_reads: withReads, with_post: withPost } = body;
      const page = await listCampaigns(deps, actor, {
        status,
        search,
        createdFrom: body.created_from,
        createdTo: body.created_to,
        limit,
        sort: by && { by, descending: body.descending },
        after: readCursor(body.cursor) ?? null,
        withReads,
        withPost,
        withTotals: body.with_totals,
      });
      return {
        campaigns: page.campaigns.map((campaign) => ({
          campaign_id: campaign.campaignId,
          name: campaign.name,
          status: campaign.status,
          is_schedule: campaign.isSchedule,
          created_at: campaign.createdAt.toISOString(),
          next_run_at: campaign.nextRunAt?.toISOString() ?? null,
          ...(withPost && { group_count: campaign.groupCount ?? 0, media_mime: campaign.mediaMime }),
          progress: {
            deliveries: campaign.deliveries,
            sent: campaign.sent,
            failed: campaign.failed,
            ...(withReads && {
              delivered: campaign.delivered,
              read: campaign.read,
              read_rate: rate(campaign.read, campaign.acknowledging),
            }),
          },
        })),
        ...(page.totals && { totals: page.totals }),
        next_cursor: writeCursor(page.next),
      };
    },
  });
}
