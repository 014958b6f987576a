-- Trigger function of groups, once a statement. If a webhook subscribes to them, it emits events that list groups which were added,
-- removed or renamed, or whose `can_send` changed: up to 100 in one event. A changed number of members emits none.
create or replace function emit_group_events() returns trigger language plpgsql as $$
begin
  if not exists (select from webhooks where matches_event_filter(events, 'group.changed')) then return null; end if;
  if tg_op = 'INSERT' then
    insert into events (workspace_id, type, data)
    select workspace_id, 'group.changed', jsonb_build_object('groups', jsonb_agg(item order by group_id))
    from (
      select n.workspace_id, n.group_id, (row_number() over (partition by n.workspace_id order by n.group_id) - 1) / 100 as part,
             jsonb_build_object('group_metadata_id', n.group_id, 'change', 'added', 'name', left(n.name, 100), 'kind', n.kind, 'can_send', n.can_send, 'external_id', n.external_id) as item
      from new_rows n
      where exists (select from webhooks w where w.workspace_id = n.workspace_id and matches_event_filter(w.events, 'group.changed'))
    ) g group by workspace_id, part;
  else
    insert into events (workspace_id, type, data)
    select workspace_id, 'group.changed', jsonb_build_object('groups', jsonb_agg(item order by group_id))
    from (
      select n.workspace_id, n.group_id, (row_number() over (partition by n.workspace_id order by n.group_id) - 1) / 100 as part,
             jsonb_build_object('group_metadata_id', n.group_id, 'change', case
               when n.removed_at is not null and o.removed_at is null then 'removed'
               when n.removed_at is null and o.removed_at is not null then 'added' else 'changed' end,
               'name', left(n.name, 100), 'kind', n.kind, 'can_send', n.can_send, 'external_id', n.external_id) as item
      from new_rows n join old_rows o on o.group_id = n.group_id
      where (n.name, n.can_send, n.removed_at is null) is distinct from (o.name, o.can_send, o.removed_at is null)
        and exists (select from webhooks w where w.workspace_id = n.workspace_id and matches_event_filter(w.events, 'group.changed'))
    ) g group by workspace_id, part;
  end if;
  return null;
end $$;
