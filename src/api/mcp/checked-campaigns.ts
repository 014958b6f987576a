import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../clients/typescript/client.ts';

/** The request that was checked, in the form in which it would be sent. */
export type CheckedCampaign =
  | { path: 'venom/add-campaign'; body: Operations['venom/add-campaign']['body'] }
  | { path: 'venom/add-campaign-batch'; body: Operations['venom/add-campaign-batch']['body'] };

/** Stores checked requests, so that exactly the checked request is sent. */
export interface CheckedCampaigns {
  /**
   * Answers the id to send it by. Of the same key the checks that were used longest ago are forgotten beyond its share; of other keys
   * never. Throws a ChecksFullError when the keys together have as many as are kept.
   */
  store(token: string, campaign: CheckedCampaign): string;
  /** Returns undefined if this token never checked it, or if the check has expired or was evicted. */
  find(token: string, checkId: string): CheckedCampaign | undefined;
}

/** Thrown when the store is full. */
export class ChecksFullError extends Error {}

const LIFETIME_MS = 30 * 60_000;
const ID_BYTES = 15;

/** So many checks, of so many characters as JSON. */
interface Limit {
  count: number;
  length: number;
}
/** Of one key. The request of one check has 2 MiB at most. */
export const KEY_LIMIT: Limit = { count: 100, length: 4 * 1_024 * 1_024 };
/** Of all keys together. */
export const TOTAL_LIMIT: Limit = { count: 10_000, length: 64 * 1_024 * 1_024 };

interface StoredCheck {
  campaign: CheckedCampaign;
  length: number;
  untilMs: number;
}

/** The checks of one key, those that were used longest ago first. */
type Share = Map<string, StoredCheck>;

/** Keeps each check for 30 minutes, within the limits above, in the memory of this process. */
export function createCheckStore(nowMs: () => number): CheckedCampaigns {
  const shares = new Map<string, Share>();
  const total = { count: 0, length: 0 };

  function add(share: Share, checkId: string, kept: StoredCheck): void {
    share.set(checkId, kept);
    total.count += 1;
    total.length += kept.length;
  }

  function remove(share: Share, checkId: string): StoredCheck | undefined {
    const kept = share.get(checkId);
    if (!kept) return undefined;
    share.delete(checkId);
    total.count -= 1;
    total.length -= kept.length;
    return kept;
  }

  /** Removes the oldest checks of a key, as far as its share has no room. */
  function evictOldest(share: Share, length: number): void {
    let own = share.values().reduce((sum, kept) => sum + kept.length, 0);
    for (const [checkId, kept] of share) {
      if (share.size < KEY_LIMIT.count && own + length <= KEY_LIMIT.length) return;
      remove(share, checkId);
      own -= kept.length;
    }
  }

  function removeExpired(): void {
    for (const [token, share] of shares) {
      for (const [checkId, { untilMs }] of share) if (untilMs <= nowMs()) remove(share, checkId);
      if (share.size === 0) shares.delete(token);
    }
  }

  const isFullFor = (length: number) => total.count >= TOTAL_LIMIT.count || total.length + length > TOTAL_LIMIT.length;

  return {
    store(token, campaign) {
      const { length } = JSON.stringify(campaign);
      evictOldest(shares.get(token) ?? new Map(), length);
      if (isFullFor(length)) removeExpired();
      if (isFullFor(length))
        throw new ChecksFullError(
          `The campaign was checked and nothing was sent, but the check could not be kept: this server keeps ${TOTAL_LIMIT.count} checks of all keys, or 64 MiB of them. Check it again within 30 minutes, or send it from the dashboard`,
        );
      const share = shares.getOrInsert(token, new Map());
      const checkId = `check_${randomBytes(ID_BYTES).toString('base64url')}`;
      add(share, checkId, { campaign, length, untilMs: nowMs() + LIFETIME_MS });
      return checkId;
    },
    find(token, checkId) {
      const share = shares.get(token);
      const kept = share && remove(share, checkId);
      if (!share || !kept || kept.untilMs <= nowMs()) return undefined;
      add(share, checkId, kept);
      return kept.campaign;
    },
  };
}
