-- Called by the triggers of accounts: notes how an account stands from now on.
create or replace function note_account_state() returns trigger language plpgsql as $$
begin
  insert into account_states (account_id, messenger, status, reason)
  values (new.account_id, new.messenger, new.status, new.status_reason);
  return null;
end $$;
