import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** Something that happened in a workspace. */
export interface WorkspaceEvent {
  eventId: number;
  /** The position to continue from; 0 for an event without a position yet. */
  position: number;
  messageId: string;
  type: string;
  at: Date;
  data: unknown;
}

/** Returns the events after a position, in order. An event that is committed later never gets a position before them. */
export async function readEventsAfter(
  db: Connection,
  workspaceId: WorkspaceId,
  position: number,
  {
    filters = null,
    limit,
  }: { /** Types, families (`campaign.*`) or `*`; null: all. */ filters?: readonly string[] | null; limit: number },
): Promise<WorkspaceEvent[]> {
  return readRows<WorkspaceEvent>(db)`
    select event_id as "eventId", position, message_id as "messageId", type, at, data from events
    where workspace_id = ${workspaceId} and position > ${position} and (${filters}::text[] is null or matches_event_filter(${filters}::text[], type))
    order by position limit ${limit}`;
}
