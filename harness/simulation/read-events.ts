/** The events of all workspaces that a ledger has recorded. */
import type { EventItem, RecordedEvent } from './line.ts';
import type { World } from './world.ts';

/** As much of an event's data as is compared. */
export interface EventData {
  campaign_id?: string;
  run_id?: number;
  /** A number in the event of a hand-over. */
  deliveries?: ItemData[] | number;
  groups?: ItemData[];
}

interface ItemData {
  group_metadata_id: number;
  change?: 'added' | 'removed' | 'changed';
  can_send?: boolean;
  replies?: number;
  reactions?: number;
}

export function readEventData(type: string, data: EventData): Omit<RecordedEvent, 'id' | 'accountId'> {
  const { campaign_id: campaign = null, run_id: runId = null, deliveries, groups } = data;
  const items = Array.isArray(deliveries) ? deliveries : (groups ?? []);
  return { type, campaign, runId, items: items.map(readItem) };
}

function readItem({ group_metadata_id: groupId, change, can_send: canSend, replies, reactions }: ItemData): EventItem {
  return {
    groupId,
    ...(change !== undefined && { change }),
    ...(canSend !== undefined && { canSend }),
    ...(replies !== undefined && { replies }),
    ...(reactions !== undefined && { reactions }),
  };
}

/** Returns the events in the order in which webhooks get them. */
export async function readEvents({ control }: World): Promise<RecordedEvent[]> {
  const { rows } = await control.query<{ accountId: number; id: string; type: string; data: EventData }>(`
    select a.account_id::int as "accountId", e.message_id as id, e.type, e.data
    from events e join accounts a on a.workspace_id = e.workspace_id and a.is_default order by e.position nulls last, e.event_id`);
  return rows.map(({ accountId, id, type, data }) => ({ accountId, id, ...readEventData(type, data) }));
}
