/** Takes over shards, and what was in hand in them. One account whose turn cannot be taken keeps no other from being served. */
import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { inSavepoint } from '../../platform/database/in-savepoint.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { quarantine } from '../../platform/database/quarantine.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { isolate } from '../../platform/concurrency/isolate.ts';
import type { Log } from '../../platform/log/log.ts';
import { requeueLanes, claimShards } from './lease-store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface TakeOver {
  /** `claimShards` of the lease store; and tries again to take the turns that could not be taken. */
  claimShards(workerId: number): Promise<Map<number, number>>;
  /** By account, the number of the turn that could not be taken. Its lane stays parked. */
  untaken(): ReadonlyMap<AccountId, number>;
}

interface TakeOverDeps {
  db: Database;
  log: Log;
  leaseMs: number;
  /** The longest gap between two sends, by messenger, in milliseconds. */
  gapMsOf: Readonly<Record<string, number>>;
}

interface InHand {
  accountId: AccountId;
  turn: number;
}

const SHARDS = 256;

export function createTakeOver({ db, log, leaseMs, gapMsOf }: TakeOverDeps): TakeOver {
  const untaken = new Map<AccountId, number>();
  let failures: Array<{ item: InHand; error: unknown }> = [];

  async function requeueShards(trx: Connection, shards: readonly number[]): Promise<void> {
    const { rows } = await sql<InHand>`
      select account_id as "accountId", turn from lanes
      where shard = any(${[...shards]}::smallint[]) and in_hand_run_id is not null`.execute(trx);
    const inHand = await lockInHand(trx, rows);
    const requeue = (some: readonly InHand[]) => inSavepoint(trx, () => requeueLanes(trx, idsOf(some), gapMsOf));
    ({ failures } = await isolate(inHand, requeue, isDataError));
  }

  /** Only if the turn is the one that could not be taken: its lane may have been freed by its worker, and claimed again. */
  async function retake(some: readonly InHand[]): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await requeueLanes(trx, idsOf(await lockInHand(trx, some)), gapMsOf);
    });
  }

  async function retakeDue(held: ReadonlyMap<number, number>): Promise<void> {
    for (const accountId of untaken.keys()) if (!held.has(accountId % SHARDS)) untaken.delete(accountId);
    const turns = [...untaken].map(([accountId, turn]) => ({ accountId, turn }));
    const { left } = await isolateFailures({ db, log }, 'take-over', turns, {
      idOf: ({ accountId }) => accountId,
      run: retake,
    });
    const stillUntaken = new Set(idsOf(left));
    for (const { accountId } of turns) if (!stillUntaken.has(accountId)) untaken.delete(accountId);
  }

  return {
    untaken: () => untaken,
    async claimShards(workerId) {
      failures = [];
      const held = await claimShards(db, workerId, { leaseMs, requeueShards });
      // Before anything else: no worker requeues these turns as orphaned.
      for (const { item } of failures) untaken.set(item.accountId, item.turn);
      for (const { item, error } of failures) await quarantine({ db, log }, 'take-over', { id: item.accountId, error });
      await retakeDue(held);
      return held;
    },
  };
}

/** Locks the ledgers and the lanes of these turns. Returns the turns that are still in hand. */
async function lockInHand(trx: Connection, turns: readonly InHand[]): Promise<InHand[]> {
  await sql`
    select from workspace_ledgers
    where workspace_id in (select workspace_id from lanes where account_id = any(${idsOf(turns)}::bigint[]))
    order by workspace_id for no key update`.execute(trx);
  const { rows } = await sql<InHand & { isInHand: boolean }>`
    select account_id as "accountId", turn, in_hand_run_id is not null as "isInHand" from lanes
    where account_id = any(${idsOf(turns)}::bigint[]) order by 1 for no key update`.execute(trx);
  const known = new Map(turns.map(({ accountId, turn }) => [accountId, turn]));
  return rows.filter(({ accountId, turn, isInHand }) => isInHand && known.get(accountId) === turn);
}

const idsOf = (turns: readonly InHand[]) => turns.map(({ accountId }) => accountId);
