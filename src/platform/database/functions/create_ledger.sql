-- Trigger function of workspaces. Gives a new workspace its ledger.
create or replace function create_ledger() returns trigger language plpgsql as $$
begin
  insert into workspace_ledgers (workspace_id) values (new.workspace_id);
  return null;
end $$;
