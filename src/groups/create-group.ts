import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a group with these people, phone numbers of digits only (contract §4, create-group). */
export async function createGroup(
  deps: GroupDeps,
  userId: number,
  group: { name: string; participants: string[] },
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, userId);
  requireLinked(account);
  const created = await runCommand(deps, account.accountId, 'create_group', group);
  return upsertGroup(deps.db, account.accountId, created);
}
