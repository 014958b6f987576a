import { runCommand, type Commands, type StoredGroup } from '../accounts/commands.ts';
import { findOwnAccount } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { createOnce, type IdempotencyKey } from '../../workspaces/idempotency/once.ts';
import { QUOTAS } from '../../workspaces/quotas/quotas.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** A group as it was created; `createdAt` is an ISO 8601 instant in UTC. */
export type CreatedGroup = Group & { createdAt: string };

/** The commands that create a group of some kind. */
type Creation = { [K in keyof Commands]: Commands[K]['result'] extends StoredGroup ? K : never }[keyof Commands];

/**
 * Has the account's session create a group of some kind, and keeps what came of it. With `key` a repeated request is answered as
 * the first one was and creates nothing. Throws 409 when the account is not linked, 429 when it has created as many as it may in a day,
 * 503 when its session does not answer.
 */
export async function haveCreated<K extends Creation>(
  deps: GroupDeps,
  actor: Actor,
  kind: K,
  input: () => Promise<Commands[K]['input']>,
  key: IdempotencyKey | undefined,
): Promise<CreatedGroup> {
  const account = await findOwnAccount(deps.db, actor.workspaceId);
  return createOnce<StoredGroup, CreatedGroup>(deps.db, key, {
    act: async () => {
      requireLinked(account);
      const perDay = (deps.quotas ?? QUOTAS).groupsPerDay[account.messenger];
      return runCommand(deps, account.accountId, kind, await input(), perDay);
    },
    record: async (trx, created) => {
      await recordAudit(trx, { ...actor, action: `${created.kind}.created`, subject: created.name });
      return { ...(await upsertGroup(trx, account.accountId, created)), createdAt: created.createdAt };
    },
  });
}
