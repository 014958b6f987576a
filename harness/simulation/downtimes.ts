/** Accounts of workspaces with several that cannot send any more, for a while or for good, and a machine that sleeps for more than a day. */
import { time } from './virtual-time.ts';
import { pick, seededRandom } from '../../test/support/inputs/random.ts';
import { accountsOf } from './owners.ts';
import type { World } from './world.ts';

const MAX_PAUSE_MS = 300_000;
/** After so many posts of the workspace at most one of its accounts is banned. */
const BANNED_AFTER_POSTS = 5;

const HOUR_MS = 3_600_000;
/** After so many posts of the world at most its machine falls asleep. */
const ASLEEP_AFTER_POSTS = 8;
/** From the time after which a run without progress expires. */
const ASLEEP_MS = { least: 24 * HOUR_MS, most: 36 * HOUR_MS };

/** Draws what becomes of accounts: each call may pause one, log it out or ban it. One account of each workspace is never banned. */
export function disturbAccounts({ owners, witness: { standings } }: World, random: () => number): void {
  const own = owners.map(accountsOf).filter(({ length }) => length > 1);
  if (own.length === 0) return;
  const accounts = pick(random, own);
  const accountId = pick(random, accounts);
  const areOthersBanned = accounts.every((one) => one === accountId || standings.of(one) === 'banned');
  const standing = pick(random, ['paused', 'logged out', 'logged out', areOthersBanned ? 'paused' : 'banned'] as const);
  if (standings.of(accountId) !== 'linked') return;
  standings.change(accountId, standing, standing === 'paused' ? 10_000 + random() * MAX_PAUSE_MS : undefined);
}

/**
 * Bans one account of each workspace with several, for good: the one that has just sent a post in the middle of a campaign, while its turn
 * is in hand. Of a workspace whose other accounts are banned none is.
 */
export function banInMidCampaign(
  { owners, witness }: World,
  seed: number,
  onBan: (ownerId: number, accountId: number) => void,
): void {
  const random = seededRandom(seed ^ 0xba4);
  const left = new Map(
    owners
      .filter(({ further }) => further.length > 0)
      .map((owner) => [owner, 1 + Math.floor(random() * BANNED_AFTER_POSTS)]),
  );
  witness.onSend = (accountId) => {
    for (const [owner, posts] of left)
      if (accountsOf(owner).some((one) => one === accountId)) {
        if (posts === 1) {
          left.delete(owner);
          if (accountsOf(owner).every((one) => one === accountId || witness.standings.of(one) === 'banned')) continue;
          witness.standings.change(accountId, 'banned');
          onBan(owner.accountId, accountId);
        } else left.set(owner, posts - 1);
      }
  };
}

/** The whole machine is suspended for a day or more right after a post has arrived, while the rest of its campaign waits. */
export function sleepInMidCampaign(world: World, random: () => number): void {
  const { witness } = world;
  const { onSend } = witness;
  const { least, most } = ASLEEP_MS;
  let posts = 1 + Math.floor(random() * ASLEEP_AFTER_POSTS);
  witness.onSend = (accountId) => {
    onSend(accountId);
    posts -= 1;
    if (posts === 0) time.at(time.nowMs(), () => world.suspend(least + random() * (most - least)));
  };
}
