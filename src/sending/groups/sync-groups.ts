import { runCommand, type CommandWaiters } from '../accounts/commands.ts';
import { findOwnAccount } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { Quotas } from '../../workspaces/quotas/quotas.ts';
import { requireLinked } from './require-linked.ts';
import { replaceGroups, selectChannelIds, type SyncOutcome } from './store.ts';

/** What reading and creating groups needs: the ledger, and a way to ask the account's session. */
export interface GroupDeps {
  db: Database;
  waiters: CommandWaiters;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
  /** IANA zone of users who chose none. */
  timeZone: string;
}

/**
 * Reads the workspace's groups from the messaging application (contract §4, sync-groups). Ids of known groups stay. If the channels cannot
 * be read, the known ones stay as they are.
 */
export async function syncGroups(deps: GroupDeps, { workspaceId }: Actor): Promise<SyncOutcome> {
  const account = await findOwnAccount(deps.db, workspaceId);
  requireLinked(account);
  const knownChannels = await selectChannelIds(deps.db, account.accountId);
  const list = await runCommand(deps, account.accountId, 'list_groups', { knownChannels });
  return replaceGroups(deps.db, account.accountId, list);
}
