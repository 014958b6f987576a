-- Runs that were moved to another time than their schedule gives them (docs/explanation/decisions/0098-keep-the-occurrence-of-a-moved-run.md).
-- Locks: runs exclusively, for a moment: a column without a default writes no row.
alter table runs add column moved_from timestamptz;  -- the instant that the schedule gave it; null: it was not moved
