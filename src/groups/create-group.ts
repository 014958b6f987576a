import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';
import { createOnce, type IdempotencyKey } from '../idempotency/once.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a group with these people, phone numbers of digits only (contract §4, create-group). */
export async function createGroup(
  deps: GroupDeps,
  actor: Actor,
  group: { name: string; participants: string[] },
  key?: IdempotencyKey,
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, actor.userId);
  return createOnce(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(deps, account.accountId, 'create_group', group);
    },
    record: async (trx, created) => {
      await recordAudit(trx, { ...actor, action: 'group.created', subject: created.name });
      return upsertGroup(trx, account.accountId, created);
    },
  });
}
