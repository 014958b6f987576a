-- Trigger function of accounts. Emits an event when an account was linked, paused, restricted, warned, quarantined or disabled, or lost its link. A
-- connection that breaks and comes back emits none.
create or replace function emit_account_event() returns trigger language plpgsql as $$
declare
  kind text := case
    when new.status = 'logged_out' and old.status <> 'logged_out' then 'account.logged_out'
    when new.status_code = 'version_refused' and old.status_code is distinct from new.status_code then 'account.version_refused'
    when new.status = 'paused' and (old.status, old.pause_cause) is distinct from (new.status, new.pause_cause)
      then case when new.pause_cause in ('restricted', 'banned') then 'account.restricted' else 'account.paused' end
    when new.stop_reason is not null and old.stop_reason is null then 'account.paused'
    when new.disabled_at is not null and old.disabled_at is null then 'account.paused'
    when new.warned_until > campanile_now() and not coalesce(old.warned_until > campanile_now(), false) then 'account.restricted'
    when new.status = 'connected' and old.status in ('unlinked', 'linking', 'paused', 'logged_out') then 'account.connected' end;
begin
  if kind is null then return null; end if;
  insert into events (workspace_id, type, data)
  values (new.workspace_id, kind, jsonb_build_object(
    'account_id', new.account_id, 'name', new.name, 'messenger', new.messenger, 'status', new.status, 'reason', coalesce(
      -- As src/platform/errors/account-states.ts says it.
      case when new.disabled_at is not null then 'Sending is stopped, because an administrator has disabled the owner of this workspace. It continues once the owner is enabled.' end,
      new.stop_reason, new.status_reason, new.warning),
    'reason_code', case when new.disabled_at is not null then 'disabled' when new.stop_reason is not null then 'quarantined' else new.status_code end,
    'cause', case when new.status = 'paused' then new.pause_cause end, 'external_id', new.external_id, 'metadata', new.metadata));
  return null;
end $$;
