-- What a post has beside its text and its file (docs/explanation/decisions/0092-keep-what-a-post-has-beside-its-text-as-one-value.md).
-- Contents of 0.1.0 keep their `name`, which their documents are called by; later ones have a null there.
-- Locks: contents exclusively, for some milliseconds: the new column needs no rewrite.
alter table contents add column extras jsonb;  -- PostExtras of src/content/post/post-extras.ts; null: none
