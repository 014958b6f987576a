import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { AccountId, AccountStatus } from '../../platform/database/schema.ts';

/** How an account stood from some instant on. */
export interface PastState {
  at: Date;
  messenger: string;
  status: AccountStatus;
  /** One sentence on why it was not connected; null where nothing was said. */
  reason: string | null;
}

const MAX_LISTED = 50;

/** Returns the earlier states of an account, newest first: the last 50 changes of 90 days, the present state among them. */
export async function readAccountHistory({ db }: { db: Database }, accountId: AccountId): Promise<PastState[]> {
  const { rows } = await sql<PastState>`
    select at, messenger, status, reason from account_states
    where account_id = ${accountId}
    order by state_id desc limit ${MAX_LISTED}`.execute(db);
  return rows;
}

/** Removes what is over 90 days old. */
export function clearOldStates(deps: QuarantineDeps): Promise<void> {
  const isOld = sql`o.at < campanile_now() - interval '90 days'`;
  return clearOldRows(deps, { table: 'account_states', owner: 'account_id', isOld });
}
