-- The step of a timeline over such a span: one that makes fewer than two hundred of it. Each is a whole number of those before it.
create or replace function timeline_step(span interval) returns interval language sql immutable as $$
  select case when span < interval '3 hours' then interval '1 minute' when span < interval '15 hours' then interval '5 minutes'
              when span < interval '2 days' then interval '15 minutes' when span < interval '8 days' then interval '1 hour'
              when span < interval '45 days' then interval '6 hours' else interval '1 day' end
$$;
