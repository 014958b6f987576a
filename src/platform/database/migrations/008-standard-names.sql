-- Gives columns, tables, triggers, functions and the batches of the quarantine the standard terms of the field. No other value changes.
--
-- It renames in one step instead of by "expand, then contract": every process stops for this upgrade anyway
-- (docs/explanation/decisions/0057-keep-each-releases-data-as-an-upgrade-fixture.md). Until an older process that was not stopped polls
-- the epoch, within 2 s, its statements that use an old name fail.
--
-- Locks: accounts, attempts, campaigns, deliveries, groups, ledger, media, runs, sandbox_messages, sign_in_places, webhook_tries and
-- whatsapp_uploads exclusively, for milliseconds: only the catalog changes, and rows of the quarantine, which has hardly any.

alter table attempts rename column under_way to in_flight;
alter table deliveries rename column cut_off to interrupted_attempts;
alter table ledger rename column place to database_identity;
alter table sandbox_messages rename column next_doing_at to next_activity_at;
alter index sandbox_messages_doing rename to sandbox_messages_activity;

alter table sign_in_places rename to sign_in_networks;
alter table sign_in_networks rename column place to network;
alter table sign_in_networks rename constraint sign_in_places_pkey to sign_in_networks_pkey;
alter table sign_in_networks rename constraint sign_in_places_user_id_fkey to sign_in_networks_user_id_fkey;
alter index sign_in_places_age rename to sign_in_networks_age;

alter table webhook_tries rename to webhook_attempts;
alter table webhook_attempts rename column try_id to attempt_id;
alter table webhook_attempts rename constraint webhook_tries_pkey to webhook_attempts_pkey;
alter table webhook_attempts rename constraint webhook_tries_workspace_id_fkey to webhook_attempts_workspace_id_fkey;
alter index webhook_tries_webhook rename to webhook_attempts_webhook;
alter index webhook_tries_workspace rename to webhook_attempts_workspace;
alter index webhook_tries_age rename to webhook_attempts_age;
alter sequence webhook_tries_try_id_seq rename to webhook_attempts_attempt_id_seq;

alter table whatsapp_uploads rename column place to target;
alter table whatsapp_uploads rename constraint whatsapp_uploads_place_check to whatsapp_uploads_target_check;

update quarantine set batch = case batch when 'strays' then 'orphaned turns' when 'suspects' then 'poison suspects' else 'webhook outcomes' end
where batch in ('strays', 'suspects', 'told webhooks');

-- A trigger cannot be given another function: it is created again.
drop trigger media_added on media;
drop trigger media_removed on media;
drop trigger media_changed on media;
create trigger media_added after insert on media for each row when (new.bytes is not null) execute function count_stored_bytes();
create trigger media_removed after delete on media for each row when (old.bytes is not null) execute function count_stored_bytes();
create trigger media_changed after update of bytes on media for each row
  when ((old.bytes is null) <> (new.bytes is null)) execute function count_stored_bytes();

drop trigger account_begins on accounts;
drop trigger account_changes on accounts;
drop trigger account_told on accounts;
create trigger account_begins after insert on accounts for each row execute function record_account_state();
create trigger account_changes after update on accounts for each row
  when ((old.messenger, old.status, old.status_reason) is distinct from (new.messenger, new.status, new.status_reason))
  execute function record_account_state();
create trigger account_events after update on accounts for each row
  when ((old.status, old.status_reason, old.pause_cause, old.stop_reason)
        is distinct from (new.status, new.status_reason, new.pause_cause, new.stop_reason))
  execute function emit_account_event();

drop trigger groups_begin on groups;
drop trigger groups_change on groups;
drop trigger groups_begun_told on groups;
drop trigger groups_changed_told on groups;
create trigger groups_begin after insert on groups
  referencing new table as new_rows for each statement execute function record_group_sizes();
create trigger groups_change after update on groups
  referencing old table as old_rows new table as new_rows for each statement execute function record_group_sizes();
create trigger groups_begin_events after insert on groups
  referencing new table as new_rows for each statement execute function emit_group_events();
create trigger groups_change_events after update on groups
  referencing old table as old_rows new table as new_rows for each statement execute function emit_group_events();

drop trigger campaign_accepted on campaigns;
drop trigger campaign_told on campaigns;
create trigger campaign_begins_events after insert on campaigns for each row execute function emit_campaign_event();
create trigger campaign_changes_events after update on campaigns for each row
  when (old.status is distinct from new.status) execute function emit_campaign_event();

drop trigger run_told on runs;
create trigger run_events after update on runs for each row
  when (old.status is distinct from new.status or old.late_at is distinct from new.late_at) execute function emit_run_events();

drop trigger deliveries_told on deliveries;
create trigger deliveries_events after update on deliveries
  referencing old table as old_rows new table as new_rows for each statement execute function emit_delivery_events();

drop function note_account_state();
drop function note_group_sizes();
drop function note_stored_bytes();
drop function tell_account();
drop function tell_campaign();
drop function tell_deliveries();
drop function tell_groups();
drop function tell_run();
