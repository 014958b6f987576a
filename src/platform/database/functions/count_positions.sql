-- Returns how many positions a turn in hand has.
create or replace function count_positions(positions int4multirange) returns int language sql immutable parallel safe
  as $$ select coalesce(sum(upper(r) - lower(r)), 0)::int from unnest(positions) r $$;
