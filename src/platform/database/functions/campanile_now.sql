-- Where every instant comes from. Tests replace it, to move the clock.
create or replace function campanile_now() returns timestamptz language sql stable parallel safe as 'select now()';
