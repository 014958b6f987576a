-- The functions that the triggers of 001-schema.sql name and 008-standard-names.sql drops. In an empty database they do nothing until then.
create function note_account_state() returns trigger language plpgsql as 'begin return null; end';
create function note_group_sizes() returns trigger language plpgsql as 'begin return null; end';
create function note_stored_bytes() returns trigger language plpgsql as 'begin return null; end';
create function tell_account() returns trigger language plpgsql as 'begin return null; end';
create function tell_campaign() returns trigger language plpgsql as 'begin return null; end';
create function tell_deliveries() returns trigger language plpgsql as 'begin return null; end';
create function tell_groups() returns trigger language plpgsql as 'begin return null; end';
create function tell_run() returns trigger language plpgsql as 'begin return null; end';

