import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a community; campaigns sent to it go to its announcement group (contract §3, create-community). */
export async function createCommunity(
  deps: GroupDeps,
  userId: number,
  community: { name: string; description: string },
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, userId);
  requireLinked(account);
  const created = await runCommand(deps, account.accountId, 'create_community', community);
  return upsertGroup(deps.db, account.accountId, created);
}
