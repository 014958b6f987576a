-- Returns a text without what a search does not tell apart: case and accents. Not of NFKD, in which one letter may become eighteen.
create or replace function plain_text(given text) returns text language sql immutable parallel safe as $$
  select regexp_replace(lower(normalize(given, nfd)), '[\u0300-\u036f]+', '', 'g')
$$;
