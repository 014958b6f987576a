import { sql } from 'kysely';
import { diffValues, type Values } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { readSendWindows, type SendWindow, type SendWindowRules } from './send-window-rules.ts';
import { findOwnAccount, lockOwnLane, userGoneError, wakeLane } from './store.ts';
import { WARM_UP_CAPS } from './warm-up.ts';

/** What is undefined stays as it is; null: from now on none. */
export type SendWindowChange = { [Rule in keyof SendWindowRules]?: SendWindowRules[Rule] | undefined } & {
  /** True: a warm-up begins, unless one is under way. False: there is none from now on. */
  warmUp?: boolean | undefined;
};

/**
 * Changes the send windows of the workspace's account, and resolves to them. They apply from the next turn on. Throws `unauthenticated`
 * when the user is deleted.
 */
export async function updateAccount(
  { db, timeZone }: { db: Database; timeZone: string },
  actor: Actor,
  change: SendWindowChange,
): Promise<SendWindow> {
  const { accountId, messenger } = await findOwnAccount(db, actor.workspaceId);
  if (Object.values(change).every((value) => value === undefined)) return readSendWindow(db, accountId, timeZone);
  return db.transaction().execute(async (trx) => {
    await lockOwnLane(trx, accountId);
    const before = await readSendWindow(trx, accountId, timeZone);
    await writeRules(trx, accountId, change);
    const after = await readSendWindow(trx, accountId, timeZone);
    const changes = diffValues(rulesOf(before), rulesOf(after));
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: messenger, changes });
    return after;
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

/** Changes the rules, and wakes the account's lane, which sleeps while they let nothing leave. The lane must be locked. */
export async function writeRules(trx: Connection, accountId: number, change: SendWindowChange): Promise<void> {
  const { quietHours, dailyCap, mentionAllCap, weeklyPosts, warmUp } = change;
  if (quietHours !== undefined)
    await trx
      .updateTable('accounts')
      .set({ quiet_from: quietHours?.from ?? null, quiet_to: quietHours?.to ?? null })
      .where('account_id', '=', accountId)
      .execute();
  if (dailyCap !== undefined)
    await trx.updateTable('accounts').set({ daily_cap: dailyCap }).where('account_id', '=', accountId).execute();
  if (mentionAllCap !== undefined)
    await trx
      .updateTable('accounts')
      .set({ mention_all_cap: mentionAllCap })
      .where('account_id', '=', accountId)
      .execute();
  if (weeklyPosts !== undefined)
    await trx.updateTable('accounts').set({ weekly_posts: weeklyPosts }).where('account_id', '=', accountId).execute();
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

async function readSendWindow(db: Connection, accountId: number, timeZone: string): Promise<SendWindow> {
  const [rest] = await readSendWindows(db, [accountId], timeZone);
  if (!rest) throw userGoneError();
  return rest;
}
