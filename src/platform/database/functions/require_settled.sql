-- Raises a check violation if one of these runs still has a delivery to send, whatever its sums say. It reads the indexes that a claim reads.
create or replace function require_settled(workspace_ids bigint[], run_ids bigint[]) returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  if exists (
    select from unnest(workspace_ids, run_ids) e (workspace_id, run_id)
    join runs r on r.workspace_id = e.workspace_id and r.run_id = e.run_id
    where (select d.position from deliveries d where d.workspace_id = r.workspace_id and d.run_id = r.run_id
             and d.position >= r.next_position and d.status = 'queued' order by d.position limit 1) is not null
       or (select w.not_before from deliveries w where w.workspace_id = r.workspace_id and w.run_id = r.run_id
             and w.not_before is not null order by w.account_id, w.not_before limit 1) is not null)
  then raise check_violation using constraint = 'runs_settled', message = 'a run would end of which something is still to be sent';
  end if;
end $$;
