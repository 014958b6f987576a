/** Bulk requests about more deliveries than a request may write, in pieces. */
import { readColumn, sql, type RawBuilder, type Database } from '../../../platform/database/statements.ts';
import { writeOrQuarantine } from '../../accounts/quarantine-account.ts';
import { inLedger } from '../../accounts/store.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import { dropQueued } from '../../deliveries/settle-runs.ts';
import { writeRevisions } from '../../deliveries/request-revision.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** When nothing could be written, since the users are gone. */
const PAUSE_MS = 100;

/**
 * Writes the next piece for each workspace in these shards, one after the other. Resolves to the milliseconds until the next call: `restMs`
 * when there is nothing to do.
 */
export async function processBulkRequests(
  db: Database,
  shards: number[],
  { log, restMs = 1_000 }: { log?: Log; restMs?: number } = {},
): Promise<number> {
  const held = await readHeld(db, 'requests');
  const found = await readColumn<WorkspaceId>(db)`${selectRequesters(shards)} order by workspace_id`;
  const workspaceIds = found.filter((workspaceId) => !held.includes(workspaceId));
  const { results } = await isolateEach({ db, log }, 'requests', workspaceIds, {
    idOf: (workspaceId) => workspaceId,
    run: (workspaceId) => writeOrQuarantine({ db, log }, { workspaceId }, () => writePiece(db, workspaceId)),
  });
  if (workspaceIds.length === 0) return restMs;
  return results.some(Boolean) ? 0 : PAUSE_MS;
}

/** The condition that these shards have a request to write. */
export function hasRequests(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (${selectRequesters(shards)})`;
}

function writePiece(db: Database, workspaceId: WorkspaceId) {
  return inLedger(db, workspaceId, async (trx) => {
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
