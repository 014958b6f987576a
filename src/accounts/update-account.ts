import { sql } from 'kysely';
import { recordAudit, type Actor } from '../audit/record-audit.ts';
import type { Connection, Database } from '../database/connect.ts';
import { readRests, type Rest, type RestRules } from './rest-rules.ts';
import { findOwnAccount, lockOwnLane, userIsGone, wakeLane } from './store.ts';

/** What is undefined stays as it is; null: from now on none. */
export type RestChange = { [Rule in keyof RestRules]?: RestRules[Rule] | undefined };

/**
 * Changes when the workspace's account rests, and answers what that comes to now. It holds from the next turn on: what was in hand may
 * still leave. Throws `unauthenticated` when the user is gone.
 */
export async function updateAccount(
  { db, timeZone }: { db: Database; timeZone: string },
  actor: Actor,
  change: RestChange,
): Promise<Rest> {
  const { accountId, messenger } = await findOwnAccount(db, actor.workspaceId);
  if (Object.values(change).every((value) => value === undefined)) return readRest(db, accountId, timeZone);
  return db.transaction().execute(async (trx) => {
    await lockOwnLane(trx, accountId);
    await writeRules(trx, accountId, change);
    await wakeLane(trx, accountId);
    await recordAudit(trx, { ...actor, action: 'account.changed', subject: messenger });
    return readRest(trx, accountId, timeZone);
  });
}

async function writeRules(trx: Connection, accountId: number, { quietHours, dailyCap }: RestChange): Promise<void> {
  if (quietHours !== undefined)
    await trx
      .updateTable('accounts')
      .set({ quiet_from: quietHours?.from ?? null, quiet_to: quietHours?.to ?? null })
      .where('account_id', '=', accountId)
      .execute();
  if (dailyCap !== undefined)
    await trx.updateTable('accounts').set({ daily_cap: dailyCap }).where('account_id', '=', accountId).execute();
  await sql`
    update lanes l
    set open_until = case when a.quiet_from is null and a.daily_cap is null then 'infinity'::timestamptz else '-infinity' end, open_for = null
    from accounts a where a.account_id = ${accountId} and l.account_id = a.account_id`.execute(trx);
}

async function readRest(db: Connection, accountId: number, timeZone: string): Promise<Rest> {
  const [rest] = await readRests(db, [accountId], timeZone);
  if (!rest) throw userIsGone();
  return rest;
}
