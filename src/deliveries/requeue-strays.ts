import { sql } from 'kysely';
import { requeueLanes } from '../accounts/lease-store.ts';
import type { Database } from '../database/connect.ts';

export interface Strays {
  /** A turn that changes what has left has no positions in hand. */
  inHand: 'sends' | 'revisions';
  knows: (accountId: number, turn: number) => boolean;
  gapMsOf: Readonly<Record<string, number>>;
}

/**
 * Queues again what is in hand in these shards although this worker, which holds them, knows nothing of it: the answer to a claim
 * was lost on its way, so that nothing of it was sent. Must not run beside a claim of the same worker.
 */
export async function requeueStrays(db: Database, shards: number[], { inHand, knows, gapMsOf }: Strays): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ account_id: number; turn: number }>`
      select account_id, turn from lanes
      where shard = any(${shards}::smallint[]) and in_hand_run_id is not null and (in_hand = '{}') = (${inHand} = 'revisions')
      order by account_id for no key update`.execute(trx);
    const strays = rows.filter((row) => !knows(row.account_id, row.turn)).map((row) => row.account_id);
    await requeueLanes(trx, strays, gapMsOf, { mayHaveLeft: false });
  });
}
