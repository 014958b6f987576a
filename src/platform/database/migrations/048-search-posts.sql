-- What is said in posts, as searches compare it.
-- Locks: contents exclusively while it is rewritten, some 100 ms for each thousand posts.
alter table contents add column said text generated always as (plain_text(said_in_post(text, extras))) stored;  -- for searches
