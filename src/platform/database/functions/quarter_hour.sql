-- Returns the beginning of the quarter hour that an instant is in. Every day of every time zone consists of whole ones.
create or replace function quarter_hour(at timestamptz) returns timestamptz language sql immutable parallel safe
  as $$ select date_bin('15 minutes', at, '2000-01-01T00:00:00Z'::timestamptz) $$;
