import { execute } from '../../platform/database/statements.ts';
import { runCommand } from '../accounts/commands.ts';
import type { AccountDeps } from '../accounts/connect-account.ts';
import { beginRead } from '../accounts/plan-syncs.ts';
import { findOwnAccount, type Account } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Quotas } from '../../workspaces/quotas/quotas.ts';
import { replaceGroups, selectChannelIds, type GroupReader, type SyncOutcome } from './store.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';

/** What reading and creating groups needs: the ledger, and a way to ask the account's session. */
export interface GroupDeps extends Omit<AccountDeps, 'messengers'> {
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

/** What a sync changed, and the account that read. */
export interface AccountSync extends SyncOutcome {
  accountId: AccountId;
}

/**
 * Reads the groups of an account of the workspace, the default one unless given, from the messaging application (contract §4, sync-groups).
 * Ids of known groups stay. If the channels cannot be read, the known ones stay as they are. Throws 404 for an account that is not the
 * workspace's.
 */
export async function syncGroups(deps: GroupDeps, { workspaceId }: Actor, accountId?: AccountId): Promise<AccountSync> {
  const account = await findOwnAccount(deps.db, workspaceId, accountId);
  requireLinked(account);
  return { accountId: account.accountId, ...(await readGroups(deps, account)) };
}

/** Reads the groups of an account from the messaging application. Throws as `runCommand` does. */
export async function readGroups(deps: Pick<GroupDeps, 'db' | 'waiters'>, reader: GroupReader): Promise<SyncOutcome> {
  await execute(deps.db)`update accounts set ${beginRead} where account_id = ${reader.accountId}`;
  const knownChannels = await selectChannelIds(deps.db, reader);
  const list = await runCommand(deps, reader.accountId, 'list_groups', { knownChannels });
  return replaceGroups(deps.db, reader, list);
}

/** `readGroups` for several accounts of a workspace at once. Returns those of which the groups could not be read, with the errors. */
export async function readGroupsOf(
  deps: Pick<GroupDeps, 'db' | 'waiters'>,
  workspaceId: WorkspaceId,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, unknown>> {
  const unread = new Map<AccountId, unknown>();
  const read = (accountId: AccountId) =>
    readGroups(deps, { workspaceId, accountId }).catch((error: unknown) => unread.set(accountId, error));
  await Promise.all(accountIds.map(read));
  return unread;
}

/**
 * Throws 409 when the account is not linked to a messaging application, 503 when it is but cannot be asked just now: what creates
 * something needs it at once (contract §2).
 */
export function requireLinked(account: Account): void {
  if (account.status === 'unlinked' || account.status === 'linking' || account.status === 'logged_out')
    throw new AppError('account_unlinked', 'Your account is not linked to a messaging application. Link it first.');
  if (account.status === 'reconnecting')
    throw new AppError('account_not_connected', 'Your account is reconnecting. Try again in a moment.', {
      retryAfterSeconds: 5,
    });
}
