/** The events of all workspaces that a ledger has recorded. */
import type { RecordedEvent } from './line.ts';
import type { World } from './world.ts';

export async function readEvents({ control }: World): Promise<RecordedEvent[]> {
  const { rows } = await control.query<RecordedEvent>(`
    select a.account_id::int as "accountId", e.type, e.data ->> 'campaign_id' as campaign, (e.data ->> 'run_id')::int as "runId"
    from events e join accounts a using (workspace_id) order by e.event_id`);
  return rows;
}
