/** Claims turns by hand, for tests that stop between claim and finish. */
import { sql } from 'kysely';
import { requeueLanes } from '../../src/sending/leases/lease-store.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { claimIsolated, claimRuledIsolated } from '../../src/sending/deliveries/claim-isolated.ts';
import type { ClaimOptions, Turn } from '../../src/sending/deliveries/claim-turns.ts';
import { finishTurns } from '../../src/sending/deliveries/finish-turns.ts';
import type { Outcome } from '../../src/sending/deliveries/outcome.ts';
import type { Owner } from './ledger.ts';

export const sent: Outcome = { kind: 'sent', recipients: 2 };
export const failed: Outcome = { kind: 'failed', reason: 'The group is gone', uncertain: false };

export interface Turns {
  /** Claims the owner's next turn; throws if there is none. */
  claim(owner: Owner, options?: Partial<ClaimOptions>): Promise<Turn>;
  /** Claims the owner's next turn, or returns undefined. */
  tryClaim(owner: Owner, options?: Partial<ClaimOptions>): Promise<Turn | undefined>;
  finish(turn: Turn, outcomes: Outcome[], gapMs?: number): Promise<void>;
  /** Claims and finishes the owner's turns until there is none, with the given `outcome` of each delivery. */
  drain(owner: Owner, outcome: (position: number) => Outcome): Promise<void>;
  /** Abandons the claimed turn, as if its worker had died. */
  takeOver(owner: Owner): Promise<void>;
}

/** A worker that holds every shard of the database. */
export async function takeTurnsByHand(db: Database): Promise<Turns> {
  const { rows } = await sql<{ worker_id: number }>`
    insert into workers (name) values ('by hand') returning worker_id`.execute(db);
  const workerId = rows[0]?.worker_id ?? 0;
  await sql`update shards set worker_id = ${workerId}`.execute(db);

  async function tryClaim(owner: Owner, options: Partial<ClaimOptions> = {}): Promise<Turn | undefined> {
    const usual = { workerId, shards: [owner.accountId % 256], lanes: 10, batch: 500, paced: [], ...options };
    const { turns, ruled } = await claimIsolated({ db }, usual);
    if (ruled.length > 0) turns.push(...(await claimRuledIsolated({ db }, ruled, { ...usual, timeZone: 'UTC' })));
    return turns.find((turn) => turn.accountId === owner.accountId);
  }
  const finish = (turn: Turn, outcomes: Outcome[], gapMs = 0) => finishTurns(db, [{ turn, outcomes, gapMs }]);
  return {
    tryClaim,
    finish,
    async claim(owner, options) {
      const turn = await tryClaim(owner, options);
      if (!turn) throw new Error('there was no turn to claim');
      return turn;
    },
    async drain(owner, outcome) {
      for (let turn = await tryClaim(owner); turn; turn = await tryClaim(owner))
        await finish(
          turn,
          turn.deliveries.map((delivery) => outcome(delivery.position)),
        );
    },
    takeOver: (owner) => db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], {})),
  };
}

export const positions = (turn: Turn) => turn.deliveries.map((delivery) => delivery.position);
