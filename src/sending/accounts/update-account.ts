import { sql } from 'kysely';
import { diffValues, type Values } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { readSendWindows, type SendWindow, type SendWindowRules } from './send-window-rules.ts';
import { findOwnAccount, lockOwnLane, nameAccount, userGoneError, wakeLane, type Account } from './store.ts';
import { WARM_UP_CAPS } from './warm-up.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** What is undefined stays as it is; null: from now on none. */
export type SendWindowChange = { [Rule in keyof SendWindowRules]?: SendWindowRules[Rule] | undefined } & {
  /** True: a warm-up begins, unless one is under way. False: there is none from now on. */
  warmUp?: boolean | undefined;
};

export type AccountChange = SendWindowChange & { name?: string | undefined };

/** The rules of an account, and how it is called. */
export interface UpdatedAccount extends SendWindow {
  name: string | null;
}

/**
 * Changes the name and the send windows of an account of the workspace, by default its default account, and resolves to them. They apply
 * from the next turn on. Throws `account_not_found`, and `unauthenticated` when the user is deleted.
 */
export async function updateAccount(
  { db, timeZone }: { db: Database; timeZone: string },
  actor: Actor,
  { accountId: wanted, name, ...change }: AccountChange & { accountId?: AccountId | undefined },
): Promise<UpdatedAccount> {
  const found = await findOwnAccount(db, actor.workspaceId, wanted);
  const { accountId } = found;
  const changesRules = Object.values(change).some((value) => value !== undefined);
  if (name === undefined && !changesRules)
    return { ...(await readSendWindow(db, accountId, timeZone)), name: found.name };
  return db.transaction().execute(async (trx) => {
    await lockOwnLane(trx, accountId);
    const account = await findOwnAccount(trx, actor.workspaceId, accountId);
    const before = await readSendWindow(trx, accountId, timeZone);
    if (changesRules) await writeRules(trx, found, change);
    if (name !== undefined)
      await trx.updateTable('accounts').set({ name }).where('account_id', '=', accountId).execute();
    const after = await readSendWindow(trx, accountId, timeZone);
    const changes = [...diffValues({ name: account.name }, { name }), ...diffValues(rulesOf(before), rulesOf(after))];
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: nameAccount(account), changes });
    return { ...after, name: name ?? account.name };
  });
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
  if (quietHours !== undefined)
    await trx
      .updateTable('accounts')
      .set({ quiet_from: quietHours?.from ?? null, quiet_to: quietHours?.to ?? null })
      .where('account_id', '=', accountId)
      .execute();
  if (dailyCap !== undefined)
    await trx.updateTable('accounts').set({ daily_cap: dailyCap }).where('account_id', '=', accountId).execute();
  if (mentionAllCap !== undefined || weeklyPosts !== undefined)
    await trx
      .updateTable('workspaces')
      .set({
        ...(mentionAllCap !== undefined && { mention_all_cap: mentionAllCap }),
        ...(weeklyPosts !== undefined && { weekly_posts: weeklyPosts }),
      })
      .where('workspace_id', '=', workspaceId)
      .execute();
  if (warmUp !== undefined)
    await sql`
      update accounts
      set warm_up_from = case
        when not ${warmUp}::boolean then null
        when warm_up_from > campanile_now() - ${WARM_UP_CAPS.length} * interval '1 day' then warm_up_from
        else campanile_now() end
      where account_id = ${accountId}`.execute(trx);
  await wakeLane(trx, accountId);
}

async function readSendWindow(db: Connection, accountId: AccountId, timeZone: string): Promise<SendWindow> {
  const [rest] = await readSendWindows(db, [accountId], timeZone);
  if (!rest) throw userGoneError();
  return rest;
}
