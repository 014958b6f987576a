-- The function that a trigger of 032-several-accounts.sql names and 034-workspace-ledgers.sql drops.
create or replace function set_ledger() returns trigger language plpgsql as $$
begin
  new.ledger_id := coalesce(nullif(new.ledger_id, 0), new.account_id);
  return new;
end $$;
