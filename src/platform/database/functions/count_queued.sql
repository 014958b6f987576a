-- Returns how many deliveries of running runs wait for each account of a workspace. The settings allow index scans in their order only: a
-- run is read from its end, where nearly all of them are, until all are found, and not as a whole.
create or replace function count_queued(of_workspace bigint) returns table (account_id bigint, queued bigint) language sql stable
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
  select d.account_id, sum(d.queued)::bigint
  from runs r
  cross join lateral (
    (select q.account_id, 1 as queued from deliveries q
     where r.is_shared and q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.status = 'queued'
     order by q.position desc limit r.queued)
    union all
    -- One account sends such a run.
    (select q.account_id, r.queued from deliveries q
     where not r.is_shared and q.workspace_id = r.workspace_id and q.run_id = r.run_id
     order by q.position limit 1)) d
  where r.workspace_id = of_workspace and r.status = 'running'
  group by 1
$$;
