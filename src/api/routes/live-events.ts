import type { AccountState } from '../../sending/accounts/account-status.ts';
import type { CampaignProgress } from '../../sending/campaigns/read/read-progress.ts';
import type { AccountEvent, CampaignDeletedEvent, CampaignEvent } from '../contract/events.ts';

/** The state of an account as the wire has it: what `account-status` answers, and the event says. */
export function toAccountEvent(state: AccountState): AccountEvent {
  const { messenger, status, whatsappNumber, pausedUntil, reason, scannedNumber, heldSince, channelsUnreadSince } =
    state;
  return {
    messenger,
    status,
    whatsapp_number: whatsappNumber,
    ...toWireCode(state),
    ...(pausedUntil && { paused_until: pausedUntil.toISOString() }),
    ...(reason !== undefined && { reason }),
    ...(heldSince && { held_since: heldSince.toISOString() }),
    ...(channelsUnreadSince && { channels_unread_since: channelsUnreadSince.toISOString() }),
    ...(scannedNumber !== undefined && { scanned_number: `+${scannedNumber}` }),
  };
}

/** The code to show while an account is being linked. */
export function toWireCode({ qr, pairingCode, expiresAt }: AccountState) {
  return {
    ...(qr !== undefined && { qr }),
    ...(pairingCode !== undefined && { pairing_code: pairingCode }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  };
}

/** The event of a deleted campaign. */
export function toDeletedEvent({ campaignId }: CampaignProgress): CampaignDeletedEvent {
  return { campaign_id: campaignId };
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
