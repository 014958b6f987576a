import type { AccountState } from '../../sending/accounts/account-status.ts';
import type { Role } from '../../platform/database/schema.ts';
import type { CampaignProgress } from '../../sending/campaigns/read/read-progress.ts';
import type { AccountEvent, CampaignDeletedEvent, CampaignEvent } from '../contract/events.ts';

/**
 * The state of an account as the wire has it: what `account-status` answers, and the event says. Only owners see the code that links a
 * phone: with it anybody could link theirs.
 */
export function toAccountEvent(state: AccountState, role: Role): AccountEvent {
  const { messenger, status, whatsappNumber, pausedUntil, reason, scannedNumber, heldSince } = state;
  const { channelsUnreadSince, warning, warnedUntil } = state;
  return {
    account_id: state.accountId,
    is_default: state.isDefault,
    messenger,
    status,
    whatsapp_number: whatsappNumber,
    ...(role === 'owner' && toWireCode(state)),
    ...(pausedUntil && { paused_until: pausedUntil.toISOString() }),
    ...(reason !== undefined && { reason }),
    ...(heldSince && { held_since: heldSince.toISOString() }),
    ...(state.retryUntil && { retry_until: state.retryUntil.toISOString() }),
    ...(warning !== undefined && { warning }),
    ...(warnedUntil && { warned_until: warnedUntil.toISOString() }),
    ...(channelsUnreadSince && { channels_unread_since: channelsUnreadSince.toISOString() }),
    ...(scannedNumber !== undefined && { scanned_number: `+${scannedNumber}` }),
  };
}

/** What there is to show while an account is being linked. */
export function toWireCode({ qr, pairingCode, passkey, expiresAt }: AccountState) {
  return {
    ...(qr !== undefined && { qr }),
    ...(pairingCode !== undefined && { pairing_code: pairingCode }),
    ...(passkey && {
      passkey: { request_options: passkey.requestOptions, verification_code: passkey.verificationCode },
    }),
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
