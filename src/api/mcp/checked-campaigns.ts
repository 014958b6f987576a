import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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

/** Keeps each check for 30 minutes, within the limits above, in the memory of this process. */
export function createCheckStore(nowMs: () => number): CheckedCampaigns {
  const total = { count: 0, length: 0 };
  /** By key. */
  const shares = new Map<string, LRUCache<string, StoredCheck>>();

  const createShare = () =>
    new LRUCache<string, StoredCheck>({
      max: KEY_LIMIT.count,
      maxSize: KEY_LIMIT.length,
      sizeCalculation: ({ length }) => length,
      onInsert({ length }) {
        total.count += 1;
        total.length += length;
      },
      dispose({ length }) {
        total.count -= 1;
        total.length -= length;
      },
    });

  function removeExpired(): void {
    for (const [token, share] of shares) {
      for (const [checkId, { untilMs }] of share.entries()) if (untilMs <= nowMs()) share.delete(checkId);
      if (share.size === 0) shares.delete(token);
    }
  }

  const isOverfull = () => total.count > TOTAL_LIMIT.count || total.length > TOTAL_LIMIT.length;

  return {
    store(token, campaign) {
      const share = shares.getOrInsertComputed(token, createShare);
      const checkId = `check_${randomBytes(ID_BYTES).toString('base64url')}`;
      const { length } = JSON.stringify(campaign);
      share.set(checkId, { campaign, length, untilMs: nowMs() + LIFETIME_MS });
      if (isOverfull()) removeExpired();
      if (!isOverfull()) return checkId;
      share.delete(checkId);
      if (share.size === 0) shares.delete(token);
      throw new ChecksFullError(
        `The campaign was checked and nothing was sent, but the check could not be kept: this server keeps ${TOTAL_LIMIT.count} checks of all keys, or 64 MiB of them. Check it again within 30 minutes, or send it from the dashboard`,
      );
    },
    find(token, checkId) {
      const kept = shares.get(token)?.get(checkId);
      return kept && kept.untilMs > nowMs() ? kept.campaign : undefined;
    },
  };
}
