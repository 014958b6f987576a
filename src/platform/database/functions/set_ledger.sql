-- Trigger function of lanes. An account sends in its own ledger unless another is given.
create or replace function set_ledger() returns trigger language plpgsql as $$
begin
  new.ledger_id := coalesce(nullif(new.ledger_id, 0), new.account_id);
  return new;
end $$;
