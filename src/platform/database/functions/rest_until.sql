-- Returns until when an unreachable account rests. An account without a link rests for 15 minutes at most: linking it clears the rest and
-- wakes its lane earlier. The lane must be locked.
create or replace function rest_until(of_account bigint, rest_ms float8) returns timestamptz language sql as $$
  select campanile_now() + case
    when exists (select from accounts where account_id = of_account and status in ('unlinked', 'logged_out')) then interval '15 minutes'
    else rest_ms * interval '1 millisecond' end
$$;
