-- Runs that were moved to another time than their schedule gives them (docs/explanation/decisions/0098-keep-the-occurrence-of-a-moved-run.md),
-- and campaigns that are tests.
-- Locks: runs and campaigns exclusively, for a moment: a column without a default, or with a constant one, writes no row.
alter table runs add column moved_from timestamptz;  -- the instant that the schedule gave it; null: it was not moved
alter table campaigns add column is_test boolean not null default false;  -- a test post to one group: in no list and no figure
