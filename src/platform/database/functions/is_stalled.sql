-- Returns whether nothing of a running run could be sent for 24 hours, or for 26 where an account of its workspace rests daily: a day can
-- have 25, and what waits for the next one has to have the time to leave then (contract §5). Such a run expires, and no turn takes from it:
-- a machine that has slept sends nothing that is too old. Inlined by the planner, since it has no subquery.
create or replace function is_stalled(progress_at timestamptz, of_workspace bigint) returns boolean language sql stable as $$
  select coalesce(progress_at <= campanile_now() - interval '24 hours', false)
         and (progress_at <= campanile_now() - interval '26 hours' or not rests_daily(of_workspace))
$$;
