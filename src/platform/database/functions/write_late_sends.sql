-- Records posts that were sent although their delivery had been cancelled or had failed meanwhile: the truth wins. It counts the change on
-- the lane, because the finish of a lost turn does not change the lane's turn.
create or replace function write_late_sends(living bigint[], sent_ranges jsonb) returns void language sql as $$
  with late as materialized (
    select d.account_id, d.run_id, d.position, d.status as was, coalesce(o.recipients[d.position - o.first + 1],
             (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)) as recipients
    from jsonb_to_recordset(sent_ranges) o (account_id bigint, lane_id bigint, run_id bigint, first int, last int, recipients int[])
    join deliveries d on d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last
    where d.status in ('cancelled', 'failed') and coalesce(o.lane_id, o.account_id) = any(living)
  ), recorded as (
    update deliveries d set status = 'sent', sent_at = campanile_now(), recipients = late.recipients, error = null
    from late where d.account_id = late.account_id and d.run_id = late.run_id and d.position = late.position
  )
  update runs r set sent = r.sent + t.cancelled + t.failed, cancelled = r.cancelled - t.cancelled, failed = r.failed - t.failed
  from (select account_id, run_id, count(*) filter (where was = 'cancelled')::int as cancelled,
               count(*) filter (where was = 'failed')::int as failed
        from late group by account_id, run_id) t
  where r.account_id = t.account_id and r.run_id = t.run_id;

  update lanes set changes = changes + 1 where account_id = any(living);

  select pin_sent(array_agg(account_id), array_agg(run_id), array_agg(first), array_agg(last))
  from jsonb_to_recordset(sent_ranges) o (account_id bigint, lane_id bigint, run_id bigint, first int, last int)
  where coalesce(lane_id, account_id) = any(living);

  select clear_errors(array_agg(account_id), array_agg(run_id))
  from jsonb_to_recordset(sent_ranges) o (account_id bigint, run_id bigint)
$$;
