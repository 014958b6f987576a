-- Trigger function of revisions, once a statement. Keeps the counts of revisions in group_sums, as sum_changed_deliveries does. Revisions
-- that are removed because their campaign is compacted or deleted stay counted. The ledgers must be locked.
create or replace function sum_changed_revisions() returns trigger language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  added revisions[];
  removed revisions[];
  lost group_sums[];
begin
  if tg_op <> 'DELETE' then select array_agg(n) into added from new_rows n; end if;
  if tg_op <> 'INSERT' then select array_agg(o) into removed from old_rows o; end if;
  if not exists (
    select from (select distinct v.workspace_id, v.run_id from unnest(added || removed) v) v
    cross join lateral (
      select r.campaign_id, r.summed from runs r where r.workspace_id = v.workspace_id and r.run_id = v.run_id limit 1) r
    join campaigns c on c.campaign_id = r.campaign_id and c.folded_at is null and c.deleted_at is null
    where r.summed > 0) then return null; end if;

  with change as materialized (
    select r.campaign_id, d.group_id, v.*
    from (select 1 as sign, a.* from unnest(added) a union all select -1, b.* from unnest(removed) b) v
    join runs r on r.workspace_id = v.workspace_id and r.run_id = v.run_id and v.position <= r.summed
    join campaigns c on c.campaign_id = r.campaign_id and c.folded_at is null and c.deleted_at is null
    cross join lateral (
      select q.group_id from deliveries q
      where q.workspace_id = v.workspace_id and q.run_id = v.run_id and q.position = v.position limit 1) d
  ), counted as (
    update group_sums s
    set revised = s.revised + c.revised, recalled = s.recalled + c.recalled, corrected = s.corrected + c.corrected,
        revision_failure = case when c.error_run_id >= coalesce(s.revision_error_run_id, 0) then c.failure else s.revision_failure end,
        revision_error_run_id = greatest(s.revision_error_run_id, c.error_run_id)
    from (
      select workspace_id, campaign_id, group_id, sum(sign) as revised, sum(sign * (recalled_at is not null)::int) as recalled,
             sum(sign * (corrected_at is not null)::int) as corrected,
             max(run_id) filter (where sign = 1 and failure is not null) as error_run_id,
             (array_agg(failure order by run_id desc) filter (where sign = 1 and failure is not null))[1] as failure,
             max(run_id) filter (where sign = -1 and failure is not null) as former_run_id
      from change group by workspace_id, campaign_id, group_id) c
    where s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id and s.group_id = c.group_id
    returning s, c.former_run_id >= s.revision_error_run_id and c.error_run_id is distinct from s.revision_error_run_id as is_lost
  )
  select array_agg(s) into lost from counted where is_lost;

  -- The latest error is gone, and the one before is the latest.
  if lost is null then return null; end if;
  with candidate as materialized (
    select r.workspace_id, r.campaign_id, r.run_id, r.content_id, r.summed
    from (select distinct campaign_id from unnest(lost)) l join runs r on r.campaign_id = l.campaign_id
    where r.summed > 0 and exists (
      select from revisions v where v.workspace_id = r.workspace_id and v.run_id = r.run_id and v.failure is not null)
  )
  update group_sums s set revision_failure = before.failure, revision_error_run_id = before.run_id
  from unnest(lost) l
  left join lateral (
    select c.run_id, v.failure
    from (select * from candidate where campaign_id = l.campaign_id and run_id < l.revision_error_run_id order by run_id desc) c
    join contents t on t.content_id = c.content_id
    cross join lateral (
      select q.failure from revisions q
      where q.workspace_id = c.workspace_id and q.run_id = c.run_id and q.position = array_position(t.group_ids, l.group_id)
        and q.position <= c.summed and q.failure is not null limit 1) v
    limit 1) before on true
  where s.workspace_id = l.workspace_id and s.campaign_id = l.campaign_id and s.group_id = l.group_id;
  return null;
end $$;
