-- The list of migrations keeps the sum of each, and which code has last changed the schema or its functions (docs/explanation/decisions/0074).
--
-- Locks: `migrations` exclusively, which only starting processes read; it has a row for each migration. Within a second.
alter table migrations
  add column if not exists sha256  text,  -- of the file that was applied
  add column if not exists epoch   int,   -- of the newest code that was started while this was the newest migration
  add column if not exists version text;  -- of the Campanile that has set the epoch
