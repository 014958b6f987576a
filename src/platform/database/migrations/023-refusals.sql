-- Final refusals in a row, which pause a campaign until its owner decides (docs/explanation/decisions/0099-ask-the-owner-after-three-equal-refusals.md).
--
-- Locks: campaigns exclusively, for milliseconds, since a column without a default, or with a constant one, writes no row; events in SHARE
-- mode while their index is built, some 1 s for each million.

alter table campaigns
  add column refusal       text,                      -- the reason of the last delivery that was refused for good
  add column refusals      smallint not null default 0,  -- how many in a row were, for that reason; 0 again once its owner resumes it
  add column refusals_sent int      not null default 0,  -- how many of its deliveries had been sent by then: one more ends the row
  add column pause_reason  text;                      -- the refusal that paused it; null: a user did, or it is not paused

-- As src/notifications/notices/kinds.ts has it.
drop index events_noticed;
create index events_noticed on events (position)
  where type in ('campaign.completed', 'campaign.completed_with_errors', 'campaign.late', 'campaign.missed', 'campaign.rescheduled',
                 'campaign.paused', 'account.logged_out', 'account.version_refused', 'webhook.switched_off', 'backup.too_old');
