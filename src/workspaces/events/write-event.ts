import { execute, readOne, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { EventType } from './event-types.ts';

/**
 * Transactional outbox: the event is a row of the transaction that it is about, and is delivered after the commit. Writes an event of a
 * campaign that no trigger writes. Call it in the transaction of the change, with the lane locked.
 */
export async function writeCampaignEvent(trx: Connection, type: EventType, campaignId: number): Promise<void> {
  await execute(trx)`select write_campaign_event(${type}, ${campaignId}::bigint)`;
}

/** Writes an event of a workspace; answers its id. */
export async function writeEvent(
  trx: Connection,
  { workspaceId, type, data }: { workspaceId: WorkspaceId; type: string; data: object },
): Promise<{ eventId: number; messageId: string }> {
  return readOne<{ eventId: number; messageId: string }>(trx)`
    insert into events (workspace_id, type, data) values (${workspaceId}, ${type}, ${JSON.stringify(data)}::jsonb)
    returning event_id as "eventId", message_id as "messageId"`;
}
