-- Whether the filters of a webhook contain an event type, its family ('campaign.*') or '*'. The events of the families 'webhook' and
-- 'backup' are the service's own: '*' does not contain them.
create or replace function matches_event_filter(filters text[], type text) returns boolean language sql immutable parallel safe as $$
  select filters && array[type, split_part(type, '.', 1) || '.*']
      or ('*' = any(filters) and split_part(type, '.', 1) <> all(array['webhook', 'backup']))
$$;
