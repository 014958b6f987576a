-- Trigger function of deliveries, once a statement. If a webhook subscribes to them, it emits events that list failed deliveries, and
-- deliveries with new replies or reactions: up to 100 in one event. The first two checks end nearly every call.
create or replace function emit_delivery_events() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows where status = 'failed' or reactions > 0 or replies > 0) then return null; end if;
  if not exists (
    select from (select distinct workspace_id from new_rows) n
    join webhooks w on w.workspace_id = n.workspace_id
    where w.events && array['*', 'delivery.*', 'delivery.failed', 'delivery.unknown', 'message.*', 'message.reply', 'message.reaction']) then return null; end if;

  insert into events (workspace_id, type, data)
  select workspace_id, kind, jsonb_build_object(
           'campaign_id', public_id, 'run_id', run_id, case when kind like 'delivery.%' then 'deliveries' else 'groups' end,
           jsonb_agg(item order by position))
  from (
    select n.workspace_id, t.kind, c.public_id, n.run_id, n.position, t.item,
           (row_number() over (partition by t.kind, n.workspace_id, n.run_id order by n.position) - 1) / 100 as part
    from new_rows n
    join old_rows o on o.workspace_id = n.workspace_id and o.run_id = n.run_id and o.position = n.position
    join runs r on r.workspace_id = n.workspace_id and r.run_id = n.run_id
    join campaigns c on c.campaign_id = r.campaign_id
    cross join lateral (
      select case when n.error_code = 'outcome_unknown' then 'delivery.unknown' else 'delivery.failed' end as kind,
             jsonb_build_object('group_metadata_id', n.group_id, 'attempts', n.attempts, 'error', left(n.error, 80))
               || jsonb_strip_nulls(jsonb_build_object('error_code', n.error_code, 'error_params', n.error_params)) as item
      where n.status = 'failed' and o.status <> 'failed'
      union all
      select 'message.reply', jsonb_build_object('group_metadata_id', n.group_id, 'replies', n.replies) where n.replies > o.replies
      union all
      select 'message.reaction', jsonb_build_object('group_metadata_id', n.group_id, 'reactions', n.reactions) where n.reactions <> o.reactions
    ) t
    where exists (select from webhooks w where w.workspace_id = n.workspace_id and matches_event_filter(w.events, t.kind))
  ) d
  group by workspace_id, kind, public_id, run_id, part;
  return null;
end $$;
