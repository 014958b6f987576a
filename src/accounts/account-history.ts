import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import type { Connection, Database } from '../database/connect.ts';
import type { AccountStatus } from '../database/schema.ts';

/** How an account stood from some instant on. */
export interface PastState {
  at: Date;
  messenger: string;
  status: AccountStatus;
  /** One sentence on why it was not connected; null where nothing was said. */
  reason: string | null;
}

const MOST_TOLD = 50;
const KEPT = sql`interval '90 days'`;
const CHUNK = 10_000;

/** How the workspace's account stood before, newest first: the last 50 changes of 90 days, the present state among them. */
export async function readAccountHistory({ db }: { db: Database }, { workspaceId }: Actor): Promise<PastState[]> {
  const { rows } = await sql<PastState>`
    select s.at, s.messenger, s.status, s.reason
    from accounts a join account_states s on s.account_id = a.account_id
    where a.workspace_id = ${workspaceId}
    order by s.state_id desc limit ${MOST_TOLD}`.execute(db);
  return rows;
}

/** Removes what is over 90 days old, in chunks that hold no lock for long. */
export async function clearOldStates(db: Connection): Promise<void> {
  let removed: bigint;
  do {
    const { numAffectedRows = 0n } = await sql`
      delete from account_states where state_id = any(array(
        select state_id from account_states where at < campanile_now() - ${KEPT} limit ${CHUNK} for update skip locked))`.execute(
      db,
    );
    removed = numAffectedRows;
  } while (removed >= CHUNK);
}
