import { runCommand, type Commands } from '../accounts/commands.ts';
import { findOwnAccount, LINKED, nameAccount, type Account } from '../accounts/store.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { requireSendTo } from './store.ts';
import { readGroups, type GroupDeps } from './sync-groups.ts';
import type { AccountId } from '../../platform/database/schema.ts';

interface Simulated extends Pick<Commands['simulate']['input'], 'action'> {
  accountId: AccountId | undefined;
  /** Undefined: all groups, and for `restore` the whole account. */
  groupId: number | undefined;
}

/**
 * Does to an account on the sandbox, by default the default one, what WhatsApp or the admins of a group could do (contract §6). A restored
 * account reads its groups again. Returns the account. Throws `account_not_found`, `group_not_found`, `not_on_sandbox`, and as `runCommand`
 * does.
 */
export async function simulateIncident(
  deps: GroupDeps,
  actor: Actor,
  { accountId: wanted, action, groupId }: Simulated,
): Promise<Account> {
  const { db } = deps;
  const { workspaceId } = actor;
  const { accountId } = await findOwnAccount(db, workspaceId, wanted);
  const chatId = groupId === undefined ? undefined : await requireSendTo(db, workspaceId, groupId);
  await runCommand(deps, accountId, 'simulate', { action, chatId });
  const account = await findOwnAccount(db, workspaceId, accountId);
  const changes = diffValues({}, { incident: action });
  await recordAudit(db, { ...actor, action: 'account.simulated', subject: nameAccount(account), changes });
  if (action === 'restore' && LINKED.has(account.status)) await readGroups(deps, account);
  return account;
}
