-- Trigger function of media. Keeps `workspaces.stored_bytes`, the size of all files of a workspace.
create or replace function count_stored_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    update workspaces set stored_bytes = stored_bytes - old.size where workspace_id = old.workspace_id;
  else
    update workspaces set stored_bytes = stored_bytes + case when new.bytes is null then -new.size else new.size end
    where workspace_id = new.workspace_id;
  end if;
  return null;
end $$;
