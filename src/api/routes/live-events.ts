import type { AccountState } from '../../sending/accounts/account-status.ts';
import type { Role } from '../../platform/database/schema.ts';
import type { CampaignProgress } from '../../sending/campaigns/read/read-progress.ts';
import { accountStatusData } from '../contract/accounts.ts';
import { campaignDeletedEventData, campaignEventData } from '../contract/events.ts';
import { toWire } from '../wire.ts';

const NO_CODE = { qr: null, pairingCode: null, passkey: null, expiresAt: null };

/** The state of an account as members see it. Only owners see the code that links a phone: with it anybody could link theirs. */
export function accountFor<State extends AccountState>(role: Role, state: State) {
  const { scannedNumber, wait: waitsFor } = state;
  const shown = { ...state, waitsFor, scannedNumber: scannedNumber && `+${scannedNumber}` };
  return role === 'owner' ? shown : { ...shown, ...NO_CODE };
}

/** The event of an account: what `account-status` answers. */
export function toAccountEvent(state: AccountState, role: Role) {
  return toWire(accountStatusData, accountFor(role, state));
}

/** The event of a campaign: its progress, or that it is deleted. */
export function toCampaignEvent(campaign: CampaignProgress) {
  return campaign.isDeleted
    ? toWire(campaignDeletedEventData, campaign)
    : toWire(campaignEventData, { ...campaign, progress: campaign });
}
