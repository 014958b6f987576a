import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { EventType } from './event-types.ts';

/**
 * Transactional outbox: the event is a row of the transaction that it is about, and is delivered after the commit.
 * Tells something of a campaign that no row of its says by itself; all else is told by triggers. Call it in the transaction that does
 * it, with the lane locked.
 */
export async function writeCampaignEvent(trx: Connection, type: EventType, campaignId: number): Promise<void> {
  await sql`select write_campaign_event(${type}, ${campaignId}::bigint)`.execute(trx);
}

/** Writes an event of a workspace; answers its id. */
export async function writeEvent(
  trx: Connection,
  { workspaceId, type, data }: { workspaceId: WorkspaceId; type: string; data: object },
): Promise<{ eventId: number; messageId: string }> {
  const { event_id: eventId, message_id: messageId } = await trx
    .insertInto('events')
    .values({ workspace_id: workspaceId, type, data: JSON.stringify(data), position: null })
    .returning(['event_id', 'message_id'])
    .executeTakeFirstOrThrow();
  return { eventId, messageId };
}
