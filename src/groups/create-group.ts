import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { createOnce, type IdempotencyKey } from '../idempotency/once.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a group with these people, phone numbers of digits only (contract §4, create-group). */
export async function createGroup(
  deps: GroupDeps,
  userId: number,
  group: { name: string; participants: string[] },
  key?: IdempotencyKey,
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, userId);
  return createOnce(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(deps, account.accountId, 'create_group', group);
    },
    record: (trx, created) => upsertGroup(trx, account.accountId, created),
  });
}
