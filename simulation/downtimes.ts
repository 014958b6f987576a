/** Accounts of workspaces with several that cannot send any more, for a while or for good. */
import { pick, seededRandom } from '../test/support/inputs/random.ts';
import type { SimulatedOwner } from './owners.ts';
import type { World } from './world.ts';

const MAX_PAUSE_MS = 300_000;
/** A campaign of these worlds has so many posts at most, of which the account that is banned sends some. */
const BANNED_AFTER_POSTS = 5;

const accountsOf = ({ accountId, second }: SimulatedOwner) => (second === undefined ? [] : [accountId, second]);

/** Draws what becomes of accounts: each call may pause one, log it out or ban it. One account of each workspace is never banned. */
export function disturbAccounts({ owners, witness: { standings } }: World, random: () => number): void {
  const own = owners.map(accountsOf).filter(({ length }) => length > 0);
  if (own.length === 0) return;
  const accounts = pick(random, own);
  const accountId = pick(random, accounts);
  const isOtherBanned = accounts.some((one) => one !== accountId && standings.of(one) === 'banned');
  const standing = pick(random, ['paused', 'logged out', 'logged out', isOtherBanned ? 'paused' : 'banned'] as const);
  if (standings.of(accountId) !== 'linked') return;
  standings.change(accountId, standing, standing === 'paused' ? 10_000 + random() * MAX_PAUSE_MS : undefined);
}

/**
 * Bans one account of each workspace with several, for good: the one that has just sent a post in the middle of a campaign, while its turn
 * is in hand.
 */
export function banInMidCampaign(
  { owners, witness }: World,
  seed: number,
  onBan: (ownerId: number, accountId: number) => void,
): void {
  const random = seededRandom(seed ^ 0xba4);
  const left = new Map(
    owners
      .filter(({ second }) => second !== undefined)
      .map((owner) => [owner, 1 + Math.floor(random() * BANNED_AFTER_POSTS)]),
  );
  witness.onSend = (accountId) => {
    for (const [owner, posts] of left)
      if (accountsOf(owner).includes(accountId)) {
        if (posts === 1) {
          witness.standings.change(accountId, 'banned');
          left.delete(owner);
          onBan(owner.accountId, accountId);
        } else left.set(owner, posts - 1);
      }
  };
}
