import { readRow, type Connection } from '../../platform/database/statements.ts';

/** Why nothing is sent from this ledger, and since when. */
export interface Hold {
  since: Date;
  reason: string;
  /** When a worker last served this state of the ledger: the time of the backup. null: not known. */
  servedAt: Date | null;
}

/** Undefined: it is not held. */
export async function readHold(db: Connection): Promise<Hold | undefined> {
  return readRow<Hold>(db)`
    select held_since as since, held_reason as reason, served_at as "servedAt" from ledger where held_since is not null`;
}

/** Returns the sentence for the health endpoint; undefined when the ledger is not held. */
export async function readHoldReason(db: Connection): Promise<string | undefined> {
  const { reason } = (await readHold(db)) ?? {};
  if (reason === undefined) return undefined;
  return `Nothing is sent: ${reason}. An administrator can review the queue and end the hold, in the dashboard or with "campanile release".`;
}
