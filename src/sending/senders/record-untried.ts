import { execute } from '../../platform/database/statements.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import { isUntried } from '../accounts/is-waited-for.ts';
import { workInLedgers } from '../accounts/quarantine-account.ts';
import type { RunKey } from '../deliveries/settle-runs.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';

/** Records begun runs as late, unless something of them was tried meanwhile; each causes one event `campaign.late`. */
export async function recordUntried(db: Database, runs: readonly RunKey[], log?: Log): Promise<void> {
  const held = new Set(await readHeld(db, 'unbegun runs'));
  const byWorkspace = Map.groupBy(runs, ({ workspaceId }) => workspaceId);
  const items = [...byWorkspace].flatMap(([workspaceId, own]) => (held.has(workspaceId) ? [] : [{ workspaceId, own }]));
  await workInLedgers(
    { db, log },
    'unbegun runs',
    items,
    (trx, { workspaceId, own }) =>
      execute(trx)`
      update runs r set late_at = campanile_now()
      where workspace_id = ${workspaceId} and run_id = any(${own.map(({ runId }) => runId)}::bigint[]) and status = 'running'
        and not paused and late_at is null and ${isUntried}`,
  );
}
