-- What turned out to have been sent although it had been cancelled, or given up, meanwhile. The truth wins. It is noted on the lane,
-- which a turn that was lost does not move.
create or replace function write_late_truth(
    living bigint[], sent_accounts bigint[], sent_runs bigint[], sent_firsts int[], sent_lasts int[], sent_skipped int[],
    sent_recipients int[])
  returns void language sql as $$
  with late as materialized (
    select d.account_id, d.run_id, d.position, d.status as was, sent_recipients[o.skipped + d.position - o.first + 1] as recipients
    from unnest(sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped) o (account_id, run_id, first, last, skipped)
    join deliveries d on d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last
    where d.status in ('cancelled', 'failed') and o.account_id = any(living)
  ), told as (
    update deliveries d set status = 'sent', sent_at = campanile_now(), recipients = late.recipients, error = null
    from late where d.account_id = late.account_id and d.run_id = late.run_id and d.position = late.position
  )
  update runs r set sent = r.sent + t.cancelled + t.failed, cancelled = r.cancelled - t.cancelled, failed = r.failed - t.failed
  from (select account_id, run_id, count(*) filter (where was = 'cancelled')::int as cancelled,
               count(*) filter (where was = 'failed')::int as failed
        from late group by account_id, run_id) t
  where r.account_id = t.account_id and r.run_id = t.run_id;

  update lanes set changes = changes + 1 where account_id = any(living);

  select clear_errors(sent_accounts, sent_runs)
$$;
