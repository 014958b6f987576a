import { listCampaigns } from '../../../campaigns/list-campaigns.ts';
import type { Database } from '../../../database/connect.ts';
import { listCampaignsBody, listCampaignsData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';

export function listCampaignsOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-campaigns',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'List your campaigns, newest first',
    body: listCampaignsBody,
    data: listCampaignsData,
    errors: [],
    async handle({ body, actor }) {
      const { status, search, limit } = body;
      const before = readCursor(body.cursor) ?? null;
      const page = await listCampaigns(deps, actor, { status, search, limit, before });
      return {
        campaigns: page.campaigns.map((campaign) => ({
          campaign_id: campaign.campaignId,
          name: campaign.name,
          status: campaign.status,
          is_schedule: campaign.isSchedule,
          created_at: campaign.createdAt.toISOString(),
          next_run_at: campaign.nextRunAt?.toISOString() ?? null,
          progress: {
            deliveries: campaign.deliveries,
            sent: campaign.sent,
            failed: campaign.failed,
            ...(body.with_reads && { delivered: campaign.delivered, read: campaign.read }),
          },
        })),
        next_cursor: writeCursor(page.next),
      };
    },
  });
}
