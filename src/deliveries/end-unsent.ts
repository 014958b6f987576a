import { sql, type RawBuilder } from 'kysely';

/**
 * What is set of a delivery `d` that is queued when it is to end as this: `sent`, if somebody has received it all the same. That was
 * told while it was in hand, when it is left to the turn's finish, which then knew nothing, or never came.
 */
export function endUnsent(
  status: 'cancelled' | 'failed',
  error: RawBuilder<string | null>,
  uncertain: RawBuilder<boolean> = sql`d.uncertain`,
): RawBuilder<unknown> {
  return sql`
    status = case when d.delivered + d.views > 0 then 'sent' else ${sql.lit(status)} end::delivery_status, not_before = null,
    sent_at = case when d.delivered + d.views > 0 then campanile_now() end,
    recipients = case when d.delivered + d.views > 0
      then (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)
      else d.recipients end,
    error = case when d.delivered + d.views > 0 then null else ${error} end,
    uncertain = ${uncertain} and d.delivered + d.views = 0`;
}
