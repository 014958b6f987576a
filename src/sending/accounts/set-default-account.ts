import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { lockGroupAccounts } from './group-accounts.ts';
import { findOwnAccount, lockOwnLedger, nameAccount } from './store.ts';

/**
 * Makes an account the default one of the workspace: requests without an account are about it, and it sends where no rule says otherwise
 * (contract §4, set-default-account). Runs that have begun keep their senders. Throws `account_not_found`.
 */
export async function setDefaultAccount({ db }: { db: Database }, actor: Actor, accountId: AccountId): Promise<void> {
  const { workspaceId } = actor;
  await db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, workspaceId);
    await lockGroupAccounts(trx, workspaceId);
    const account = await findOwnAccount(trx, workspaceId, accountId);
    if (account.isDefault) return;
    const former = await findOwnAccount(trx, workspaceId);
    await fixNumber(trx, workspaceId);
    await sql`update accounts set is_default = false where workspace_id = ${workspaceId} and is_default`.execute(trx);
    await sql`update accounts set is_default = true where account_id = ${accountId}`.execute(trx);
    const changes = diffValues({ default_account: nameAccount(former) }, { default_account: nameAccount(account) });
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: nameAccount(account), changes });
  });
}

/** The number in the owner's profile is that of the default account: the former one keeps it as its own. */
async function fixNumber(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    update accounts a set whatsapp_number = u.whatsapp_number, whatsapp_digits = u.whatsapp_digits
    from workspaces w
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where w.workspace_id = ${workspaceId} and a.workspace_id = w.workspace_id and a.is_default and a.whatsapp_number is null`.execute(
    trx,
  );
}
