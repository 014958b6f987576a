-- Trigger function of campaigns. Emits an event when a campaign was accepted, paused, resumed or cancelled, or has completed. The events
-- of its runs (emit_run_events) say when it starts.
create or replace function emit_campaign_event() returns trigger language plpgsql as $$
declare
  kind text := case
    when tg_op = 'INSERT' then 'campaign.accepted'
    when new.status in ('paused', 'cancelled', 'completed', 'completed_with_errors') then 'campaign.' || new.status
    when old.status in ('paused', 'completed', 'completed_with_errors') then 'campaign.resumed' end;
begin
  if kind is not null then
    perform write_campaign_event(kind, new.campaign_id,
      case when kind = 'campaign.paused' and new.pause_reason is not null then jsonb_build_object('reason', new.pause_reason) else '{}' end);
  end if;
  return null;
end $$;
