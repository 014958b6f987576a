/** Bulk requests about more deliveries than a request may write, in pieces. */
import { readColumn, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import { writeOrQuarantine } from '../../accounts/quarantine-account.ts';
import { lockFreeLedgers } from '../../accounts/store.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readQuarantined } from '../../../platform/database/quarantine.ts';
import { dropQueued } from '../../deliveries/settle-runs.ts';
import { writeRevisions } from '../../deliveries/request-revision.ts';
import type { Log } from '../../../platform/log/log.ts';
import { createRoundRobin, type Rotation } from '../../../platform/concurrency/round-robin.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** After so long the workspaces are looked for once more. */
const STEP_MS = 500;

/** When every workspace with something to do is locked by another transaction. */
const LOCKED_PAUSE_MS = 10;

/**
 * Writes the next piece for each workspace in these shards, in round robin, for a moment. Resolves to the milliseconds until the next call:
 * `restMs` when there is nothing to do.
 */
export async function processBulkRequests(
  db: Database,
  shards: number[],
  { turns = createRoundRobin(), log, restMs = 1_000 }: { turns?: Rotation; log?: Log; restMs?: number } = {},
): Promise<number> {
  const { held } = await readQuarantined(db, 'requests');
  const found = await readColumn<WorkspaceId>(db)`${selectRequesters(shards)} order by workspace_id`;
  const workspaces = turns.order(found.filter((workspaceId) => !held.has(workspaceId)));
  const endMs = performance.now() + STEP_MS;
  let isLocked = true;
  for (const workspaceId of workspaces) {
    turns.served([workspaceId]);
    const { results } = await isolateEach({ db, log }, 'requests', [workspaceId], {
      idOf: (id) => id,
      run: (id) => writeOrQuarantine({ db, log }, { workspaceId: id }, () => writePiece(db, id)),
    });
    if (results.some(Boolean)) isLocked = false;
    if (performance.now() > endMs) break;
  }
  if (workspaces.length === 0) return restMs;
  return isLocked ? LOCKED_PAUSE_MS : 0;
}

/** The condition that these shards have a request to write. */
export function hasRequests(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (${selectRequesters(shards)})`;
}

/** False where another transaction has locked the ledger. */
function writePiece(db: Database, workspaceId: WorkspaceId): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockFreeLedgers(trx, [workspaceId]);
    if (locked.length === 0) return false;
    await dropQueued(trx, workspaceId);
    await writeRevisions(trx, workspaceId);
    return true;
  });
}

function selectRequesters(shards: readonly number[]): RawBuilder<unknown> {
  return sql`
    select workspace_id from (
      select workspace_id, shard from revision_requests where next_position is not null
      union
      select workspace_id, shard from runs where dropping
    ) r
    where shard = any(${[...shards]}::smallint[])
      -- Of a workspace that is stopped nothing is written.
      and exists (select from accounts a where a.workspace_id = r.workspace_id and a.stop_reason is null and a.disabled_at is null and a.removed_at is null)`;
}
