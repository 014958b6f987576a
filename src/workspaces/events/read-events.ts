import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** Something that happened in a workspace. */
export interface WorkspaceEvent {
  eventId: number;
  /** Where to read on; of what has not got its place yet 0. */
  position: number;
  messageId: string;
  type: string;
  at: Date;
  data: unknown;
}

/** What happened after a position, in order; nothing that is committed later ever comes before what this has answered. */
export async function readEventsAfter(
  db: Connection,
  workspaceId: WorkspaceId,
  position: number,
  { types = null, limit }: { /** null: all. */ types?: readonly string[] | null; limit: number },
): Promise<WorkspaceEvent[]> {
  const { rows } = await sql<WorkspaceEvent>`
    select event_id as "eventId", position, message_id as "messageId", type, at, data from events
    where workspace_id = ${workspaceId} and position > ${position} and (${types}::text[] is null or type = any(${types}::text[]))
    order by position limit ${limit}`.execute(db);
  return rows;
}
