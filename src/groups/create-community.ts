import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { createOnce, type IdempotencyKey } from '../idempotency/once.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a community; campaigns sent to it go to its announcement group (contract §3, create-community). */
export async function createCommunity(
  deps: GroupDeps,
  userId: number,
  community: { name: string; description: string },
  key?: IdempotencyKey,
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, userId);
  return createOnce(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(deps, account.accountId, 'create_community', community);
    },
    record: (trx, created) => upsertGroup(trx, account.accountId, created),
  });
}
