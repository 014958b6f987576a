-- Subtracts ended runs from their campaigns' open runs, one for each time a campaign is named. A campaign without open runs has ended too.
create or replace function close_runs(campaign_ids bigint[]) returns void language sql as $$
  update campaigns c
  set open_runs = c.open_runs - e.ended,
      finished_at = case when c.open_runs = e.ended then campanile_now() end,
      status = case
        when c.status = 'cancelled' then c.status
        when c.open_runs = e.ended then case
          when exists (select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
          then 'completed_with_errors' else 'completed' end::campaign_status
        -- Looked up by the workspace, which has few running runs: the campaign may have hundreds of planned ones.
        -- The order forces the index: "exists" may read the running runs of all workspaces.
        when c.status = 'running' and (
          select r.run_id from runs r where r.workspace_id = c.workspace_id and r.status = 'running' and r.campaign_id = c.campaign_id
          order by r.run_id limit 1) is null
        then 'scheduled' else c.status end
  from (select campaign_id, count(*)::int as ended from unnest(campaign_ids) i (campaign_id) group by 1) e
  where c.campaign_id = e.campaign_id
$$;
