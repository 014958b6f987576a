import type { AccountState } from '../../accounts/account-status.ts';
import type { CampaignProgress } from '../../campaigns/read-progress.ts';
import type { AccountEvent, CampaignEvent } from '../contract/events.ts';

/** The state of an account as the wire has it: what `account-status` answers, and the event says. */
export function toAccountEvent({ messenger, status, whatsappNumber }: AccountState): AccountEvent {
  return { messenger, status, whatsapp_number: whatsappNumber };
}

/** A campaign's progress as the wire has it. */
export function toCampaignEvent(campaign: CampaignProgress): CampaignEvent {
  return {
    campaign_id: campaign.campaignId,
    name: campaign.name,
    status: campaign.status,
    progress: {
      deliveries: campaign.deliveries,
      queued: campaign.queued,
      sent: campaign.sent,
      failed: campaign.failed,
      cancelled: campaign.cancelled,
      delivered: campaign.delivered,
      read: campaign.read,
    },
    next_run_at: campaign.nextRunAt?.toISOString() ?? null,
  };
}
