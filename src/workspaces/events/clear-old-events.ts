import { sql } from 'kysely';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

/**
 * Removes events that nobody can read on to any more: who heard another a day ago may do so, and an hour is for those that are written
 * late. Where a webhook of the workspace may have to be told them again they stay for 30 days. Those between are looked at for two days
 * only, so that what is kept is not read again and again.
 */
export async function clearOldEvents(deps: QuarantineDeps): Promise<void> {
  const events = { table: 'events', owner: 'workspace_id' } as const;
  await clearOldRows(deps, { ...events, isOld: sql`o.at < campanile_now() - interval '30 days'` });
  const isUnwanted = sql`
    o.at < campanile_now() - interval '25 hours' and o.at > campanile_now() - interval '3 days' and o.position is not null
    and not exists (select from webhooks w where w.workspace_id = o.workspace_id)`;
  await clearOldRows(deps, { ...events, isOld: isUnwanted });
}
