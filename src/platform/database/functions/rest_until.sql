-- Until when an account rests that could not be reached. One that is not linked rests until it is, which clears the rest and wakes its lane;
-- a quarter of an hour is for when nothing does. The lane must be locked.
create or replace function rest_until(of_account bigint, rest_ms float8) returns timestamptz language sql as $$
  select campanile_now() + case
    when exists (select from accounts where account_id = of_account and status in ('unlinked', 'logged_out')) then interval '15 minutes'
    else rest_ms * interval '1 millisecond' end
$$;
