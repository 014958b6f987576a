import { readColumn, readRows, type Database } from '../../platform/database/statements.ts';
import { requeueLanes } from '../leases/lease-store.ts';
import type { InHand, Leases } from '../leases/leases.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import type { Log } from '../../platform/log/log.ts';
import { gapMsOf, type Gaps } from './pace.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface OrphanOptions {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'workerId' | 'untaken'>;
  gaps: Gaps;
  knows: (turn: InHand) => boolean;
}

export type OrphanWatch = ReturnType<typeof watchOrphanedTurns>;

/** Less than between two polls for all loops, so that none of those comes too soon. */
const POLL_INTERVAL_MS = 500;

export function watchOrphanedTurns(options: OrphanOptions) {
  let polledAtMs = -Infinity;
  return {
    /**
     * Requeues orphaned turns: in hand in these shards, but unknown to this worker. The server can complete a claim long after the worker
     * gave it up, without an error. Nothing of such a turn was sent. It polls twice a second at most, and must not run during a claim.
     */
    async requeue(shards: number[]) {
      if (performance.now() < polledAtMs + POLL_INTERVAL_MS) return;
      // The take-over requeues turns that may have left, as uncertain.
      const untaken = options.leases.untaken();
      const inHand = await readRows<InHand>(options.db)`
        select account_id as "accountId", turn from lanes
        where shard = any(${shards}::smallint[]) and in_hand_run_id is not null`;
      const orphaned = inHand.filter((turn) => !options.knows(turn) && !untaken.has(turn.accountId));
      await isolateFailures(options, 'orphaned turns', orphaned, {
        idOf: ({ accountId }) => accountId,
        run: (some) => requeueOrphanedTurns(options, some),
      });
      polledAtMs = performance.now();
    },
  };
}

/** Checks again under locks: the turn may have ended since, or the shard may belong to another worker. */
async function requeueOrphanedTurns({ db, leases, gaps }: OrphanOptions, orphans: readonly InHand[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const accountIds = await readColumn<AccountId>(trx)`
      with orphan as materialized (
        select * from unnest(${orphans.map((one) => one.accountId)}::bigint[], ${orphans.map((one) => one.turn)}::bigint[])
                      i (account_id, turn)
      ), held as materialized (
        select shard from shards
        where shard in (select campanile_shard(account_id) from orphan) and worker_id = ${leases.workerId()}
        for share skip locked
      )
      select l.account_id from orphan o join lanes l on l.account_id = o.account_id and l.turn = o.turn
      where l.in_hand_run_id is not null and l.shard in (select shard from held)
      order by l.account_id for no key update of l skip locked`;
    await requeueLanes(trx, accountIds, gapMsOf(gaps), { mayHaveLeft: false });
  });
}
