-- Follow-ups, which leave out groups that have read (docs/explanation/decisions/0102-warn-of-too-many-posts-and-follow-up.md).
-- Locks: runs exclusively, for a moment: a column with a constant default writes no row.
alter table runs add column skipped int not null default 0;  -- of its cancelled deliveries: left out, since the group has read
