-- Moves how far accounts have come in shared runs to their next first attempt, or behind the last delivery that is written. It walks along
-- each run once for each account, however often it is called. The ledgers must be locked. The settings have the reasons of claim_turns.
create or replace function advance_senders(workspace_ids bigint[], run_ids bigint[], account_ids bigint[]) returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  update run_senders s
  set next_position = coalesce((
      select q.position from deliveries q
      where q.workspace_id = s.workspace_id and q.run_id = s.run_id and q.position >= s.next_position and q.status = 'queued'
        and q.not_before is null and q.account_id = s.account_id
      order by q.position limit 1),
    (select r.expanded + 1 from runs r where r.workspace_id = s.workspace_id and r.run_id = s.run_id))
  from unnest(workspace_ids, run_ids, account_ids) i (workspace_id, run_id, account_id)
  where s.workspace_id = i.workspace_id and s.run_id = i.run_id and s.account_id = i.account_id;
end $$;
