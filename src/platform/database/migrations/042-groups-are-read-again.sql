-- When the groups of an account are read again without being asked for
-- (docs/explanation/decisions/0116-read-groups-again-without-being-asked.md).
-- Locks: accounts exclusively, for some 100 ms for each 20,000 accounts: those whose groups were read are written once.
alter table accounts
  add column groups_sync_at timestamptz,         -- null: not before something changes
  add column groups_read_at timestamptz;         -- when the last read began
-- Spread over a day.
update accounts set groups_sync_at = campanile_now() + random() * interval '1 day'
where groups_synced_at is not null and removed_at is null;
create index accounts_sync on accounts (groups_sync_at) where status = 'connected';
