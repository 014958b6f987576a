-- Returns the step of a timeline: the span has fewer than 200 of them. Each step is a multiple of the shorter ones.
create or replace function timeline_step(span interval) returns interval language sql immutable as $$
  select case when span < interval '3 hours' then interval '1 minute' when span < interval '15 hours' then interval '5 minutes'
              when span < interval '2 days' then interval '15 minutes' when span < interval '8 days' then interval '1 hour'
              when span < interval '45 days' then interval '6 hours' else interval '1 day' end
$$;
