-- Returns whether an account of the workspace has quiet hours, a daily cap or a warm-up.
create or replace function rests_daily(of_workspace bigint) returns boolean language sql stable as $$
  select exists (
    select from lanes s join accounts a on a.account_id = s.account_id
    where s.workspace_id = of_workspace and coalesce(a.quiet_from, a.daily_cap::text, a.warm_up_from::text) is not null)
$$;
