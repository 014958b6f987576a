import { execute, readColumn, readRows, type Database } from '../../platform/database/statements.ts';
import { requeueLanes } from '../leases/lease-store.ts';
import { SHARDS, type Held, type InHand, type Leases } from '../leases/leases.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import type { Log } from '../../platform/log/log.ts';
import { gapMsOf, type Gaps } from './pace.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface OrphanOptions {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'workerId' | 'held'>;
  gaps: Gaps;
  knows: (turn: InHand) => boolean;
}

export type OrphanWatch = ReturnType<typeof watchOrphanedTurns>;

/** Less than between two polls for all loops, so that none of those comes too soon. */
const POLL_INTERVAL_MS = 500;

export function watchOrphanedTurns(options: OrphanOptions) {
  let polledAtMs = -Infinity;
  /** Shards in which the worker of before has nothing in hand, with the epoch of which that is known. */
  let clean: Held = new Map();
  return {
    /**
     * Requeues the turns in hand in the shards held that this worker does not know. In a shard that it has taken they may be those of the
     * worker of before (take-over), and what they sent is uncertain. Once there was none, one is a claim that the server completed long
     * after this worker gave it up, without an error: nothing of it was sent. It polls twice a second at most, and must not run during a
     * claim.
     */
    async requeue() {
      if (performance.now() < polledAtMs + POLL_INTERVAL_MS) return;
      const held = options.leases.held();
      const inHand = await readRows<InHand>(options.db)`
        select account_id as "accountId", turn from lanes
        where shard = any(${[...held.keys()]}::smallint[]) and in_hand_run_id is not null`;
      const orphaned = inHand.filter((turn) => !options.knows(turn));
      const unclean = new Set(orphaned.map(({ accountId }) => accountId % SHARDS));
      const known = clean;
      clean = new Map([...held].filter(([shard, epoch]) => known.get(shard) === epoch || !unclean.has(shard)));
      await isolateFailures(options, 'orphaned turns', orphaned, {
        idOf: ({ accountId }) => accountId,
        run: (some) => requeueTurns(options, some, clean),
      });
      polledAtMs = performance.now();
    },
  };
}

/** Checks again under locks: the turn may have ended since, or the shard may belong to another worker. */
async function requeueTurns({ db, leases, gaps }: OrphanOptions, turns: readonly InHand[], clean: Held): Promise<void> {
  const ids = turns.map(({ accountId }) => accountId);
  await db.transaction().execute(async (trx) => {
    await execute(trx)`
      select from workspace_ledgers
      where workspace_id in (select workspace_id from lanes where account_id = any(${ids}::bigint[]))
      order by workspace_id for no key update`;
    const accountIds = await readColumn<AccountId>(trx)`
      with orphan as materialized (
        select * from unnest(${ids}::bigint[], ${turns.map(({ turn }) => turn)}::bigint[]) i (account_id, turn)
      ), held as materialized (
        select shard from shards
        where shard in (select campanile_shard(account_id) from orphan) and worker_id = ${leases.workerId()}
        for share skip locked
      )
      select l.account_id from orphan o join lanes l on l.account_id = o.account_id and l.turn = o.turn
      where l.in_hand_run_id is not null and l.shard in (select shard from held)
      order by l.account_id for no key update of l skip locked`;
    const { true: unsent = [], false: doubtful = [] } = Object.groupBy(accountIds, (id) => `${clean.has(id % SHARDS)}`);
    await requeueLanes(trx, unsent, gapMsOf(gaps), { mayHaveLeft: false });
    await requeueLanes(trx, doubtful, gapMsOf(gaps));
  });
}
