import { readRows, type Database } from '../../platform/database/statements.ts';
import { stateCodeOf, type StateCode } from '../../platform/errors/account-states.ts';
import type { AccountId, AccountStatus } from '../../platform/database/schema.ts';

/** How an account stood from some instant on. */
export interface PastState {
  at: Date;
  messenger: string;
  status: AccountStatus;
  /** One sentence on why it was not connected; null where nothing was said. */
  reason: string | null;
  /** null: the sentence has none. */
  reasonCode: StateCode | null;
}

const MAX_LISTED = 50;

/** Returns the earlier states of an account, newest first: the last 50 changes of 90 days, the present state among them. */
export async function readAccountHistory({ db }: { db: Database }, accountId: AccountId): Promise<PastState[]> {
  const rows = await readRows<Omit<PastState, 'reasonCode'>>(db)`
    select at, messenger, status, reason from account_states
    where account_id = ${accountId}
    order by state_id desc limit ${MAX_LISTED}`;
  return rows.map((row) => ({ ...row, reasonCode: row.reason === null ? null : stateCodeOf(row.reason) }));
}
