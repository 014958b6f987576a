/** What was asked about more deliveries than the request could touch: in pieces, so that nothing waits long for one. */
import { sql } from 'kysely';
import { writeOrStop } from '../accounts/stop-account.ts';
import { lockLane } from '../accounts/store.ts';
import type { Connection, Database } from '../database/connect.ts';
import { dropQueued } from '../deliveries/drop-queued.ts';
import { writeRevisions } from '../deliveries/write-revisions.ts';
import type { Log } from '../lib/log.ts';
import { takeTurns, type Rotation } from '../lib/take-turns.ts';

/** After so long the accounts are looked for anew. */
const STEP_MS = 500;

/** Does a piece for accounts in these shards that have any left to do, for a moment; they take turns. True when there was any. */
export async function carryOutRequests(
  db: Database,
  shards: number[],
  { turns = takeTurns(), log }: { turns?: Rotation; log?: Log } = {},
): Promise<boolean> {
  const accounts = turns.order(await findRequesters(db, shards));
  const endMs = performance.now() + STEP_MS;
  for (const accountId of accounts) {
    turns.served([accountId]);
    await writeOrStop({ db, log }, accountId, () => carryOutPiece(db, accountId));
    if (performance.now() > endMs) break;
  }
  return accounts.length > 0;
}

function carryOutPiece(db: Database, accountId: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockLane(trx, accountId))) return;
    await dropQueued(trx, accountId);
    await writeRevisions(trx, accountId);
  });
}

async function findRequesters(db: Connection, shards: number[]): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    select account_id from (
      select account_id, shard from revision_requests where next_position is not null
      union
      select account_id, shard from runs where dropping
    ) r
    where shard = any(${shards}::smallint[]) and exists (select from lanes l where l.account_id = r.account_id and l.held_until < 'infinity')
    order by account_id`.execute(db);
  return rows.map((row) => row.account_id);
}
