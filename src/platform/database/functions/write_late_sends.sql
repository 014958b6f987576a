-- Records posts that were sent although their delivery had been cancelled or had failed meanwhile: the truth wins. It counts the change on
-- the ledger, because the finish of a lost turn does not change the lane's turn. The ledgers must be locked.
create or replace function write_late_sends(living bigint[], sent_ranges jsonb) returns void language sql as $$
  with late as materialized (
    select d.workspace_id, d.run_id, d.position, d.status as was, coalesce(o.recipients[d.position - o.first + 1],
             (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)) as recipients
    from jsonb_to_recordset(sent_ranges) o (workspace_id bigint, account_id bigint, run_id bigint, first int, last int, recipients int[])
    join deliveries d on d.workspace_id = o.workspace_id and d.run_id = o.run_id and d.position between o.first and o.last
    where d.status in ('cancelled', 'failed') and o.account_id = any(living)
  ), recorded as (
    update deliveries d set status = 'sent', sent_at = campanile_now(), recipients = late.recipients,
                            error = null, error_code = null, error_params = null
    from late where d.workspace_id = late.workspace_id and d.run_id = late.run_id and d.position = late.position
  )
  update runs r set sent = r.sent + t.cancelled + t.failed, cancelled = r.cancelled - t.cancelled, failed = r.failed - t.failed
  from (select workspace_id, run_id, count(*) filter (where was = 'cancelled')::int as cancelled,
               count(*) filter (where was = 'failed')::int as failed
        from late group by workspace_id, run_id) t
  where r.workspace_id = t.workspace_id and r.run_id = t.run_id;

  update workspace_ledgers set changes = changes + 1
  where workspace_id in (select o.workspace_id from jsonb_to_recordset(sent_ranges) o (workspace_id bigint));

  select pin_sent(array_agg(workspace_id), array_agg(run_id), array_agg(first), array_agg(last))
  from jsonb_to_recordset(sent_ranges) o (workspace_id bigint, account_id bigint, run_id bigint, first int, last int)
  where account_id = any(living);

  select clear_errors(array_agg(workspace_id), array_agg(run_id))
  from jsonb_to_recordset(sent_ranges) o (workspace_id bigint, run_id bigint)
$$;
