-- Returns whether every word of a search is part of a text of plain_text, in any order.
create or replace function has_words(plain text, search text) returns boolean language sql immutable parallel safe as $$
  select coalesce(bool_and(position(word in plain) > 0), true) from regexp_split_to_table(plain_text(search), '\s+') word
$$;
