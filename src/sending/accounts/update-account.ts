import { execute, type Connection, type Database } from '../../platform/database/statements.ts';
import { diffValues, type Values } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { changeOwnData, diffOwnData, type OwnData, type StoredOwnData } from './own-data.ts';
import { readSendWindows, type SendWindow, type SendWindowRules } from './send-window-rules.ts';
import {
  findOwnAccount,
  lockLedgerAndLane,
  nameAccount,
  userGoneError,
  wakeLane,
  lockOwnLedger,
  type Account,
} from './store.ts';
import { WARM_UP_CAPS } from './warm-up.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { lockGroupAccounts } from './group-accounts.ts';

/** What is undefined stays as it is; null: from now on none. */
export type SendWindowChange = { [Rule in keyof SendWindowRules]?: SendWindowRules[Rule] | undefined } & {
  /** True: a warm-up begins, unless one is under way. False: there is none from now on. */
  warmUp?: boolean | undefined;
};

export type AccountChange = SendWindowChange & OwnData & { name?: string | undefined };

/** The rules of an account, how it is called, and what programs keep with it. */
export interface UpdatedAccount extends SendWindow, StoredOwnData {
  name: string | null;
}

/**
 * Changes the name, the send windows and what programs keep of an account of the workspace, by default its default account, and resolves to
 * them. Windows apply from the next turn on. Throws `account_not_found`, `external_id_taken`, and `unauthenticated` when the user is deleted.
 */
export async function updateAccount(
  { db, timeZone }: { db: Database; timeZone: string },
  actor: Actor,
  { accountId: wanted, name, externalId, metadata, ...change }: AccountChange & { accountId?: AccountId | undefined },
): Promise<UpdatedAccount> {
  const { workspaceId } = actor;
  const found = await findOwnAccount(db, workspaceId, wanted);
  const { accountId } = found;
  const own = { externalId, metadata };
  const changesRules = Object.values(change).some((value) => value !== undefined);
  if (!changesRules && Object.values({ name, ...own }).every((value) => value === undefined))
    return describeUpdated(found, await readSendWindow(db, accountId, timeZone));
  return db.transaction().execute(async (trx) => {
    await lockLedgerAndLane(trx, found);
    const account = await findOwnAccount(trx, workspaceId, accountId);
    const before = await readSendWindow(trx, accountId, timeZone);
    if (changesRules) await writeRules(trx, found, change);
    if (name !== undefined) await execute(trx)`update accounts set name = ${name} where account_id = ${accountId}`;
    await changeOwnData(trx, 'account', { workspaceId, id: accountId }, own);
    const after = await readSendWindow(trx, accountId, timeZone);
    const changes = [
      ...diffValues({ name: account.name }, { name }),
      ...diffValues(rulesOf(before), rulesOf(after)),
      ...diffOwnData(account, own),
    ];
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: nameAccount(account), changes });
    return describeUpdated(await findOwnAccount(trx, workspaceId, accountId), after);
  });
}

function describeUpdated({ name, externalId, metadata }: Account, window: SendWindow): UpdatedAccount {
  return { ...window, name, externalId, metadata };
}

function rulesOf({ quietHours, dailyCap, mentionAllCap, weeklyPosts, warmUpFrom }: SendWindow): Values {
  return {
    quiet_hours: quietHours && `${quietHours.from}–${quietHours.to}`,
    daily_cap: dailyCap,
    mention_all_cap: mentionAllCap,
    weekly_posts: weeklyPosts,
    warm_up: warmUpFrom && warmUpFrom.toString(),
  };
}

/** Changes the rules of an account and those of its workspace, and wakes the account's lane, which sleeps while they let nothing leave. The lane must be locked. */
export async function writeRules(
  trx: Connection,
  { accountId, workspaceId }: Pick<Account, 'accountId' | 'workspaceId'>,
  change: SendWindowChange,
): Promise<void> {
  const { quietHours, dailyCap, mentionAllCap, weeklyPosts, warmUp } = change;
  // What is undefined is left out.
  const [quietFrom, quietTo] = quietHours === undefined ? [] : [quietHours?.from ?? null, quietHours?.to ?? null];
  if (quietHours !== undefined || dailyCap !== undefined)
    await trx
      .updateTable('accounts')
      .set({ quiet_from: quietFrom, quiet_to: quietTo, daily_cap: dailyCap })
      .where('account_id', '=', accountId)
      .execute();
  if (mentionAllCap !== undefined || weeklyPosts !== undefined)
    await trx
      .updateTable('workspaces')
      .set({ mention_all_cap: mentionAllCap, weekly_posts: weeklyPosts })
      .where('workspace_id', '=', workspaceId)
      .execute();
  if (warmUp !== undefined)
    await execute(trx)`
      update accounts
      set warm_up_from = case
        when not ${warmUp}::boolean then null
        when warm_up_from > campanile_now() - ${WARM_UP_CAPS.length} * interval '1 day' then warm_up_from
        else campanile_now() end
      where account_id = ${accountId}`;
  await wakeLane(trx, accountId);
}

async function readSendWindow(db: Connection, accountId: AccountId, timeZone: string): Promise<SendWindow> {
  const [rest] = await readSendWindows(db, [accountId], timeZone);
  if (!rest) throw userGoneError();
  return rest;
}

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
    await execute(trx)`update accounts set is_default = false where workspace_id = ${workspaceId} and is_default`;
    await execute(trx)`update accounts set is_default = true where account_id = ${accountId}`;
    const changes = diffValues({ default_account: nameAccount(former) }, { default_account: nameAccount(account) });
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: nameAccount(account), changes });
  });
}

/** The number in the owner's profile is that of the default account: the former one keeps it as its own. */
async function fixNumber(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    update accounts a set whatsapp_number = u.whatsapp_number, whatsapp_digits = u.whatsapp_digits
    from workspaces w
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where w.workspace_id = ${workspaceId} and a.workspace_id = w.workspace_id and a.is_default and a.whatsapp_number is null`;
}
