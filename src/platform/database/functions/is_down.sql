-- Returns whether an account cannot send: it is stopped, not linked or paused by its messenger, or its connection is lost for longer than
-- its workspace bears, which is a minute where the owner is asked. Scalars, so that the planner puts the body in place of the call.
create or replace function is_down(status text, stop_reason text, down_since timestamptz, failover_minutes int)
  returns boolean language sql stable as $$
  select stop_reason is not null or status not in ('connected', 'reconnecting')
    or coalesce(down_since <= campanile_now() - coalesce(failover_minutes, 1) * interval '1 minute', false)
$$;
