import { randomBytes } from 'node:crypto';
import type { Operations } from '../../client/client.ts';

/** What a check was about, as it would be sent. */
export type CheckedCampaign =
  | { path: 'venom/add-campaign'; body: Operations['venom/add-campaign']['body'] }
  | { path: 'venom/add-campaign-batch'; body: Operations['venom/add-campaign-batch']['body'] };

/** Keeps what was checked, so that exactly that is sent and nothing that was not. */
export interface CheckedCampaigns {
  /** Answers the id to send it by. */
  keep(token: string, campaign: CheckedCampaign): string;
  /** Undefined for what was never checked with this token, or too long ago. */
  find(token: string, checkId: string): CheckedCampaign | undefined;
}

const LIFETIME_MS = 30 * 60_000;
const MOST_KEPT = 1_000;
const ID_BYTES = 15;

interface Kept {
  token: string;
  campaign: CheckedCampaign;
  untilMs: number;
}

/** Keeps the last 1,000 checks for 30 minutes each, in this process alone. */
export function keepChecked(nowMs: () => number): CheckedCampaigns {
  const kept = new Map<string, Kept>();
  return {
    keep(token, campaign) {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      const checkId = `check_${randomBytes(ID_BYTES).toString('base64url')}`;
      kept.set(checkId, { token, campaign, untilMs: nowMs() + LIFETIME_MS });
      return checkId;
    },
    find(token, checkId) {
      const known = kept.get(checkId);
      return known && known.token === token && known.untilMs > nowMs() ? known.campaign : undefined;
    },
  };
}
