-- Trigger function of lanes. A lane sends for the workspace of its account.
create or replace function set_lane_workspace() returns trigger language plpgsql as $$
begin
  new.workspace_id := (select workspace_id from accounts where account_id = new.account_id);
  return new;
end $$;
