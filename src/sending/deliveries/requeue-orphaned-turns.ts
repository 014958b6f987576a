import { sql } from 'kysely';
import { requeueLanes } from '../leases/lease-store.ts';
import type { Leases } from '../leases/leases.ts';
import type { Database } from '../../platform/database/connect.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import type { Log } from '../../platform/log/log.ts';
import { gapMsOf, type Gaps } from './pace.ts';

export interface OrphanOptions {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'workerId' | 'untaken'>;
  gaps: Gaps;
  knows: (turn: { accountId: number; turn: number }) => boolean;
}

export interface OrphanWatch {
  /**
   * Queues turns again that are in hand in these shards and that nobody knows of: the server can end a claim long after its worker
   * has given it up, without any error. Nothing of them was sent. Looks once a second at most; must not run beside a claim.
   */
  requeue(shards: number[]): Promise<void>;
}

const POLL_INTERVAL_MS = 1_000;

export function watchOrphanedTurns(options: OrphanOptions): OrphanWatch {
  let polledAtMs = -Infinity;
  return {
    async requeue(shards) {
      if (performance.now() < polledAtMs + POLL_INTERVAL_MS) return;
      // What may have left is left to the take-over, which says so.
      const untaken = options.leases.untaken();
      const orphaned = (await findOrphanedTurns(options, shards)).filter((orphan) => !untaken.has(orphan.account_id));
      await isolateFailures(options, 'orphaned turns', orphaned, {
        idOf: (stray) => stray.account_id,
        run: (some) => requeueOrphanedTurns(options, some),
      });
      polledAtMs = performance.now();
    },
  };
}

interface InHand {
  account_id: number;
  turn: number;
}

async function findOrphanedTurns({ db, knows }: OrphanOptions, shards: number[]): Promise<InHand[]> {
  const { rows } = await sql<InHand>`
    select account_id, turn from lanes
    where shard = any(${shards}::smallint[]) and in_hand_run_id is not null`.execute(db);
  return rows.filter(({ account_id: accountId, turn }) => !knows({ accountId, turn }));
}

/** Locks before it believes: a turn may have ended since, and a shard that was lost may be another worker's, and the turn too. */
async function requeueOrphanedTurns({ db, leases, gaps }: OrphanOptions, orphaned: readonly InHand[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<InHand>`
      with stray as materialized (
        select * from unnest(${orphaned.map((one) => one.account_id)}::bigint[], ${orphaned.map((one) => one.turn)}::bigint[])
                      i (account_id, turn)
      ), held as materialized (
        select shard from shards
        where shard in (select campanile_shard(account_id) from stray) and worker_id = ${leases.workerId()}
        for share skip locked
      )
      select l.account_id, l.turn from stray join lanes l on l.account_id = stray.account_id and l.turn = stray.turn
      where l.in_hand_run_id is not null and l.shard in (select shard from held)
      order by l.account_id for no key update of l skip locked`.execute(trx);
    const accountIds = rows.map((row) => row.account_id);
    await requeueLanes(trx, accountIds, gapMsOf(gaps), { mayHaveLeft: false });
  });
}
