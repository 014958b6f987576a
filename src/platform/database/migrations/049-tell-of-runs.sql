-- Notices of posts that could not be sent are made of each run: as src/notifications/notices/kinds.ts has it.
-- Locks: events and runs in SHARE mode while their indexes are built, some 100 ms for each million rows.
drop index events_noticed;
create index events_noticed on events (position)
  where type in ('campaign.completed', 'run.completed', 'campaign.late', 'campaign.missed', 'campaign.rescheduled', 'campaign.paused',
                 'campaign.waiting', 'campaign.decided', 'account.logged_out', 'account.version_refused', 'account.waiting',
                 'account.handed_over', 'webhook.switched_off', 'backup.too_old');

-- Few runs are missed. Overviews and reports count them.
create index runs_missed on runs (workspace_id, due_at) where status = 'missed';
