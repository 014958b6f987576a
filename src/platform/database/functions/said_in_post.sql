-- Returns what members read in a post, for searches: its text, and the words of its extras, such as the options of a poll. A stored column
-- calls it, also while a dump is restored without our schema in the search path: so neither this nor plain_text names a function of ours.
create or replace function said_in_post(given text, extras jsonb) returns text language sql immutable parallel safe as $$
  select concat_ws(' ', given, (
    select string_agg(said #>> '{}', ' ')
    from jsonb_path_query(extras - '{replyTo,followUp}'::text[], 'strict $.** ? (@.type() == "string")') said))
$$;
