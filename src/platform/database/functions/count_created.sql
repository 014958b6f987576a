-- Returns how many groups, communities and channels an account has created in the last 24 hours or is creating now, and the age of the
-- oldest. Creations that surely failed do not count.
create or replace function count_created(of_account bigint) returns table (created int, oldest_seconds float8) language plpgsql stable as $$
begin
  return query
    select count(*)::int, coalesce(extract(epoch from campanile_now() - min(created_at)), 0)::float8
    from account_commands
    where account_id = of_account and kind like 'create\_%' and created_at > campanile_now() - interval '1 day'
      and (status <> 'failed' or coalesce((result ->> 'outcomeUnknown')::boolean, false))
      -- Withdrawn before a worker had begun it.
      and (status <> 'abandoned' or worker_id is not null);
end $$;
