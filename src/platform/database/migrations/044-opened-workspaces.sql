-- When a member last opened a workspace in the dashboard: it opens the latest one on a device that has none of its own.
-- Locks: memberships exclusively, for milliseconds: a nullable column writes no row.
alter table memberships add column opened_at timestamptz;  -- null: never
