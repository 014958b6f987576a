-- Trigger function of runs. Emits events when the status of a run changes, and when a run is found to be late.
create or replace function emit_run_events() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('run_id', new.run_id,
                                    'due_at', to_char(new.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
begin
  -- A paused run is late because its owner wants it to be.
  if new.late_at is not null and old.late_at is null and not old.paused then
    perform write_campaign_event('campaign.late', new.campaign_id, about);
  end if;
  if new.status is not distinct from old.status then return null; end if;
  if new.status = 'missed' then
    perform write_campaign_event('campaign.missed', new.campaign_id, about);
  elsif new.status in ('running', 'completed', 'completed_with_errors') then
    -- Its first run; those before it come first in the index.
    if new.status = 'running' and old.status = 'planned' and not exists (
      select from runs r
      where r.campaign_id = new.campaign_id and r.due_at <= new.due_at and r.run_id <> new.run_id and r.started_at is not null)
    then
      perform write_campaign_event('campaign.started', new.campaign_id, about);
    end if;
    insert into events (workspace_id, type, data)
    select c.workspace_id, case new.status when 'running' then 'run.started' else 'run.completed' end,
           about || jsonb_build_object('campaign_id', c.public_id, 'name', c.name, 'external_id', c.external_id, 'status', new.status, 'group_count', new.targets,
                                       'queued', new.queued, 'sent', new.sent, 'failed', new.failed, 'cancelled', new.cancelled)
                 || case when new.skipped > 0 then jsonb_build_object('skipped', new.skipped) else '{}' end
    from campaigns c where c.campaign_id = new.campaign_id;
  end if;
  return null;
end $$;
