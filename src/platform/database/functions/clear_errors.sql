-- Turns 'completed_with_errors' into 'completed' for ended runs and campaigns without failed deliveries. The ledgers must be locked.
create or replace function clear_errors(workspace_ids bigint[], run_ids bigint[]) returns void language sql as $$
  update runs r set status = 'completed'
  from unnest(workspace_ids, run_ids) i (workspace_id, run_id)
  where r.workspace_id = i.workspace_id and r.run_id = i.run_id and r.status = 'completed_with_errors' and r.failed = 0;

  update campaigns c set status = 'completed'
  where c.status = 'completed_with_errors' and not exists (
    select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
    and c.campaign_id = any (
      select r.campaign_id from unnest(workspace_ids, run_ids) i (workspace_id, run_id)
      join runs r on r.workspace_id = i.workspace_id and r.run_id = i.run_id)
$$;
