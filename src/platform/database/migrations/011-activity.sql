-- Time zone rules: campaigns record the version of tzdata that planned their runs, so that a process with newer rules plans them again.
--
-- Locks: campaigns exclusively, for milliseconds, since a column with a constant default writes no row, and in SHARE mode while the index
-- is built, some 1 s for each million campaigns; events in SHARE mode while their index is built, some 1 s for each million.

alter table campaigns add column tzdata_version text collate "C" not null default '';  -- such as 2026c; '': older than this column
create index campaigns_tzdata on campaigns (tzdata_version) where is_schedule and finished_at is null and deleted_at is null;

-- As src/notifications/notices/kinds.ts has it.
drop index events_noticed;
create index events_noticed on events (position)
  where type in ('campaign.completed', 'campaign.completed_with_errors', 'campaign.late', 'campaign.missed', 'campaign.rescheduled',
                 'account.logged_out', 'account.version_refused', 'webhook.switched_off', 'backup.too_old');
