-- Trigger function of groups, once a statement: a sync writes ten thousand groups at once. Records changed numbers of members, one row a
-- day and group at most.
create or replace function record_group_sizes() returns trigger language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  today date := (campanile_now() at time zone 'UTC')::date;
begin
  if tg_op = 'INSERT' then
    insert into group_sizes (workspace_id, group_id, day, participants)
    select workspace_id, group_id, today, participants from new_rows
    on conflict (workspace_id, group_id, day) do update set participants = excluded.participants;
    return null;
  end if;

  with change as materialized (
    -- Not a join: neither table of rows has an index.
    select workspace_id, group_id, max(participants) filter (where is_new) as participants
    from (select true as is_new, n.* from new_rows n union all select false, o.* from old_rows o) g
    group by workspace_id, group_id having min(participants) <> max(participants)
  )
  insert into group_sizes (workspace_id, group_id, day, participants) select workspace_id, group_id, today, participants from change
  on conflict (workspace_id, group_id, day) do update set participants = excluded.participants;
  return null;
end $$;
