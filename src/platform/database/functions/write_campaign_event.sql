-- Writes an event about a campaign; `extra` is added to the data that all of them have. plpgsql plans it once a session.
create or replace function write_campaign_event(kind text, of_campaign bigint, extra jsonb default '{}') returns void language plpgsql as $$
begin
  insert into events (workspace_id, type, data)
  select c.workspace_id, kind,
         jsonb_build_object('campaign_id', c.public_id, 'name', c.name, 'status', c.status, 'is_schedule', c.is_schedule,
                            'external_id', c.external_id, 'metadata', c.metadata,
                            'tags', array(select t.name from campaign_tags t where t.campaign_id = c.campaign_id order by t.position)) || extra
  from campaigns c where c.campaign_id = of_campaign;
end $$;
