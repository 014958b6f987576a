import { sql } from 'kysely';
import { requeueLanes } from '../accounts/lease-store.ts';
import type { Database } from '../database/connect.ts';
import { gapMsOf, type Gaps } from './pace.ts';

export interface StrayOptions {
  /** A turn that changes what has left has no positions in hand. */
  inHand: 'sends' | 'revisions';
  knows: (accountId: number, turn: number) => boolean;
  gaps: Gaps;
}

/** Claims of one worker, one after the other. One whose answer was lost on its way leaves turns in hand that nobody knows of. */
export interface Claims {
  /** Queues such turns again, where there may be any: nothing of them was sent. Must not run beside a claim. */
  requeueStrays(shards: number[]): Promise<void>;
  /** What the claim comes to. */
  make<Claimed>(claim: () => Promise<Claimed>): Promise<Claimed>;
}

export function watchClaims(db: Database, options: StrayOptions): Claims {
  let mayHaveStrays = false;
  return {
    async requeueStrays(shards) {
      if (mayHaveStrays) await requeueStrays(db, shards, options);
      mayHaveStrays = false;
    },
    async make(claim) {
      mayHaveStrays = true;
      const claimed = await claim();
      mayHaveStrays = false;
      return claimed;
    },
  };
}

async function requeueStrays(db: Database, shards: number[], { inHand, knows, gaps }: StrayOptions): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ account_id: number; turn: number }>`
      select account_id, turn from lanes
      where shard = any(${shards}::smallint[]) and in_hand_run_id is not null and (in_hand = '{}') = (${inHand} = 'revisions')
      order by account_id for no key update`.execute(trx);
    const strays = rows.filter((row) => !knows(row.account_id, row.turn)).map((row) => row.account_id);
    await requeueLanes(trx, strays, gapMsOf(gaps), { mayHaveLeft: false });
  });
}
