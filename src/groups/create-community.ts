import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';
import { createOnce, type IdempotencyKey } from '../idempotency/once.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a community; campaigns sent to it go to its announcement group (contract §3, create-community). */
export async function createCommunity(
  deps: GroupDeps,
  actor: Actor,
  community: { name: string; description: string },
  key?: IdempotencyKey,
): Promise<Group> {
  const account = await findAccountOfUser(deps.db, actor.userId);
  return createOnce(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(deps, account.accountId, 'create_community', community);
    },
    record: async (trx, created) => {
      await recordAudit(trx, { ...actor, action: 'community.created', subject: created.name });
      return upsertGroup(trx, account.accountId, created);
    },
  });
}
