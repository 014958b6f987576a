import { sql, type RawBuilder } from 'kysely';

/** How many people a post to a group `g` goes to: its members but the sender, who is none of a channel's followers. */
export const recipientsOf = sql<number>`(g.participants - case g.kind when 'channel' then 0 else 1 end)`;

/** True if a member has received the delivery `d`, or seen it in a channel. finish_turns.sql has the same rule. */
const wasReceived = sql<boolean>`(d.delivered + d.views > 0)`;

/**
 * Returns the assignments that end a queued delivery `d` with this status, or as `sent` if a member has received it. Such receipts come
 * while the delivery is in hand, and its finish knew nothing or never came.
 */
export function setUnsentStatus(
  status: 'cancelled' | 'failed',
  error: RawBuilder<string | null>,
  uncertain: RawBuilder<boolean> = sql`d.uncertain`,
): RawBuilder<unknown> {
  return sql`
    status = case when ${wasReceived} then 'sent' else ${sql.lit(status)} end::delivery_status, not_before = null,
    sent_at = case when ${wasReceived} then campanile_now() end,
    recipients = case when ${wasReceived}
      then (select ${recipientsOf} from groups g where g.group_id = d.group_id) else d.recipients end,
    error = case when not ${wasReceived} then ${error} end,
    uncertain = ${uncertain} and not ${wasReceived}`;
}
