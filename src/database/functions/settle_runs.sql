-- Ends the runs of which nothing is queued any more, and counts them off their campaigns. The lanes must be locked.
create or replace function settle_runs(account_ids bigint[], run_ids bigint[]) returns void language plpgsql as $$
declare
  campaign_ids bigint[];
begin
  with ended as (
    update runs r
    set status = case when r.failed > 0 then 'completed_with_errors' else 'completed' end::run_status, finished_at = campanile_now()
    from unnest(account_ids, run_ids) i (account_id, run_id)
    where r.account_id = i.account_id and r.run_id = i.run_id and r.status = 'running' and r.queued = 0
    returning r.campaign_id)
  select array_agg(campaign_id) into campaign_ids from ended;
  if campaign_ids is not null then perform close_runs(campaign_ids); end if;
end $$;
