-- Trigger function of accounts. Records the status of an account from now on.
create or replace function record_account_state() returns trigger language plpgsql as $$
begin
  insert into account_states (account_id, messenger, status, reason)
  values (new.account_id, new.messenger, new.status, new.status_reason);
  return null;
end $$;
