/** Bulk requests about more deliveries than a request may write, in pieces. */
import { sql, type RawBuilder } from 'kysely';
import { writeOrQuarantine } from '../../accounts/quarantine-account.ts';
import { lockFreeLanes } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readQuarantined } from '../../../platform/database/quarantine.ts';
import { dropQueued } from '../../deliveries/drop-queued.ts';
import { writeRevisions } from '../../deliveries/write-revisions.ts';
import type { Log } from '../../../platform/log/log.ts';
import { createRoundRobin, type Rotation } from '../../../platform/concurrency/round-robin.ts';

/** After so long the accounts are looked for anew. */
const STEP_MS = 500;

/** When every account with something to do is locked by somebody else. */
const LOCKED_PAUSE_MS = 10;

/**
 * Writes the next piece for each account in these shards, in round robin, for a moment. Resolves to the milliseconds until the next call:
 * `restMs` when there is nothing to do.
 */
export async function processBulkRequests(
  db: Database,
  shards: number[],
  { turns = createRoundRobin(), log, restMs = 1_000 }: { turns?: Rotation; log?: Log; restMs?: number } = {},
): Promise<number> {
  const { held } = await readQuarantined(db, 'requests');
  const accounts = turns.order((await findRequesters(db, shards)).filter((accountId) => !held.has(accountId)));
  const endMs = performance.now() + STEP_MS;
  let isLocked = true;
  for (const accountId of accounts) {
    turns.served([accountId]);
    const { results } = await isolateEach({ db, log }, 'requests', [accountId], {
      idOf: (id) => id,
      run: (id) => writeOrQuarantine({ db, log }, id, () => writePiece(db, id)),
    });
    if (results.some(Boolean)) isLocked = false;
    if (performance.now() > endMs) break;
  }
  if (accounts.length === 0) return restMs;
  return isLocked ? LOCKED_PAUSE_MS : 0;
}

/** The condition that these shards have a request to write. */
export function hasRequests(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (${selectRequesters(shards)})`;
}

/** False where somebody else has locked the account. */
function writePiece(db: Database, accountId: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockFreeLanes(trx, [accountId]);
    if (locked.length === 0) return false;
    await dropQueued(trx, accountId);
    await writeRevisions(trx, accountId);
    return true;
  });
}

async function findRequesters(db: Connection, shards: number[]): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    ${selectRequesters(shards)} order by account_id`.execute(db);
  return rows.map((row) => row.account_id);
}

function selectRequesters(shards: readonly number[]): RawBuilder<unknown> {
  return sql`
    select account_id from (
      select account_id, shard from revision_requests where next_position is not null
      union
      select account_id, shard from runs where dropping
    ) r
    where shard = any(${[...shards]}::smallint[])
      -- Of an account that is stopped nothing is written.
      and exists (select from accounts a where a.account_id = r.account_id and a.stop_reason is null)`;
}
