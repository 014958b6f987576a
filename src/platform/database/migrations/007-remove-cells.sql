-- Drops what served cells (docs/explanation/decisions/0080-remove-cells.md). Ids that a numbered installation gave stay as they are, and
-- its counters go on from them.
--
-- Locks: workspaces, moves and ledger, exclusively, for milliseconds: no row is read or rewritten but those of moved workspaces. An
-- upgrade that brings several migrations holds workspaces locked in each step up to this one.

-- A workspace that has moved away was exported with its right to send. Without `moved_to` both installations would send for it.
do $guard$
declare
  moved text;
begin
  lock table workspaces in access exclusive mode;
  select string_agg(user_name, ', ' order by user_name) into moved
  from workspaces join memberships using (workspace_id) join users using (user_id)
  where moved_to is not null and deleted_at is null;
  if moved is not null then
    raise exception 'The workspace of % has moved to another cell, or is on its way there. This version has no cells and would send its posts a second time. Nothing was changed. With the earlier version, take it back where nobody has imported it (campanile workspace take-back NAME --yes), or finish the move and delete the user here (campanile users delete NAME --yes). Then upgrade.', moved;
  end if;
end $guard$;

alter table workspaces drop column moved_to;
alter table ledger drop column cell;
drop table moves;
