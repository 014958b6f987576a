import { sql, type RawBuilder } from 'kysely';

/** How many people a post to a group `g` goes to: its members but the sender, who is none of a channel's followers. */
export const recipientsOf = sql<number>`(g.participants - case g.kind when 'channel' then 0 else 1 end)`;

/** Somebody has received the delivery `d`, or, of a channel, seen it. What its finish makes of that is in finish_turns.sql. */
const wasReceived = sql<boolean>`(d.delivered + d.views > 0)`;

/**
 * What is set of a delivery `d` that is queued when it is to end as this: `sent`, if somebody has received it all the same. That was
 * told while it was in hand, when it is left to the turn's finish, which then knew nothing, or never came.
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
