-- Recounts the sums of a run from its deliveries, all of which must still exist. The ledger must be locked.
create or replace function recount_run(of_workspace bigint, of_run bigint) returns void language sql as $$
  update runs r
  set targets = n.targets, expanded = n.written, next_position = coalesce(n.first_queued, n.written + 1),
      sent = n.sent, failed = n.failed, skipped = n.skipped, delivered = n.delivered, read = n.read,
      -- What is not written out yet is queued, unless the run has ended.
      queued = case when r.status = 'running' then n.targets - n.sent - n.failed - n.cancelled when r.dropping then n.queued else 0 end,
      cancelled = case when r.status = 'running' then n.cancelled
                       else n.targets - n.sent - n.failed - case when r.dropping then n.queued else 0 end end
  from (
    select count(*)::int as written, count(*) filter (where status = 'sent')::int as sent,
           count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'cancelled')::int as cancelled,
           count(*) filter (where status = 'cancelled' and error_code in ('already_read', 'reads_unknown', 'left_without_value'))::int as skipped,
           count(*) filter (where status = 'queued')::int as queued,
           min(position) filter (where status = 'queued' and not_before is null) as first_queued,
           sum(d.delivered)::int as delivered, sum(d.read)::int as read,
           greatest(count(*), (select cardinality(c.group_ids) from runs x join contents c on c.content_id = x.content_id
                               where x.workspace_id = of_workspace and x.run_id = of_run))::int as targets
    from deliveries d where workspace_id = of_workspace and run_id = of_run
  ) n
  where r.workspace_id = of_workspace and r.run_id = of_run and n.written > 0;

  update run_senders s set next_position = least(s.next_position, r.next_position)
  from runs r
  where r.workspace_id = of_workspace and r.run_id = of_run and s.workspace_id = of_workspace and s.run_id = of_run
$$;
