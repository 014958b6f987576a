import { checkHold, endHold } from '../../operations/hold/manage-hold.ts';
import type { Database } from '../../platform/database/connect.ts';
import { MOST_QUEUED, type hold } from '../contract/hold.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const holdHandlers: Handlers<typeof hold, { db: Database }> = {
  async listQueued({ db }, { actor }) {
    const { since, reason, queued } = await checkHold(db, actor);
    return {
      held_since: since.toISOString(),
      reason,
      campaigns: queued.slice(0, MOST_QUEUED).map((campaign) => ({
        campaign_id: campaign.campaignId,
        name: campaign.name,
        user_name: campaign.userName,
        queued: campaign.queued,
        last_sent_at: campaign.lastSentAt?.toISOString() ?? null,
      })),
      left_out: Math.max(0, queued.length - MOST_QUEUED),
    };
  },

  async resumeLedger({ db }, { body, caller, actor }) {
    const choices = new Map(body.choices.map((one) => [one.campaign_id.toLowerCase(), one.choice]));
    await endHold(db, actor, { token: tokenOf(caller), password: body.password, choices, others: body.others });
    return {};
  },
};
