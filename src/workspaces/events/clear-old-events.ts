import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

/**
 * Removes events that no client can continue from: a client may resume within a day, and an hour more is for late writes. If the workspace
 * has a webhook, its events stay for 30 days for replays. Events of the days between are checked for two days only, so that kept events
 * are not read again and again.
 */
export async function clearOldEvents(deps: QuarantineDeps): Promise<void> {
  const events = { table: 'events', owner: 'workspace_id' } as const;
  await clearOldRows(deps, { ...events, isOld: sql`o.at < campanile_now() - interval '30 days'` });
  const isUnwanted = sql`
    o.at < campanile_now() - interval '25 hours' and o.at > campanile_now() - interval '3 days' and o.position is not null
    and not exists (select from webhooks w where w.workspace_id = o.workspace_id)`;
  await clearOldRows(deps, { ...events, isOld: isUnwanted });
}
