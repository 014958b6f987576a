-- Ends runs that have nothing queued any more, and subtracts them from their campaigns' open runs. The ledgers must be locked.
create or replace function settle_runs(workspace_ids bigint[], run_ids bigint[]) returns void language plpgsql as $$
declare
  campaign_ids bigint[];
  ended_workspaces bigint[];
  ended_runs bigint[];
begin
  -- A receipt may have proven that a post was sent.
  perform pin_sent(workspace_ids, run_ids, array_fill(1, array[cardinality(run_ids)]), array_fill(2147483647, array[cardinality(run_ids)]));
  with ended as (
    update runs r
    set status = case when r.failed > 0 then 'completed_with_errors' else 'completed' end::run_status, finished_at = campanile_now()
    from unnest(workspace_ids, run_ids) i (workspace_id, run_id)
    where r.workspace_id = i.workspace_id and r.run_id = i.run_id and r.status = 'running' and r.queued = 0
    returning r.campaign_id, r.workspace_id, r.run_id)
  select array_agg(campaign_id), array_agg(workspace_id), array_agg(run_id) into campaign_ids, ended_workspaces, ended_runs from ended;
  if campaign_ids is null then return; end if;
  perform require_settled(ended_workspaces, ended_runs);
  perform close_runs(campaign_ids);
end $$;
