-- How far a state of the ledger goes, so that an administrator who ends a hold knows what the backup cannot know.
-- Locks: ledger exclusively, for milliseconds: it has one row.

alter table ledger add column served_at timestamptz;  -- by a worker, last; null: never

-- A backup of an earlier version knows it by its workers, which are in it.
update ledger set served_at = (select max(beat_at) from workers);
