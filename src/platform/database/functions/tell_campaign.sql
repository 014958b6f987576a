-- Called by the triggers of campaigns, for one that is new or whose state became another: tells what is news of it. That it is under
-- way, or waits for its next run, is told by its runs.
create or replace function tell_campaign() returns trigger language plpgsql as $$
declare
  kind text := case
    when tg_op = 'INSERT' then 'campaign.accepted'
    when new.status in ('paused', 'cancelled', 'completed', 'completed_with_errors') then 'campaign.' || new.status
    when old.status in ('paused', 'completed', 'completed_with_errors') then 'campaign.resumed' end;
begin
  if kind is not null then perform write_campaign_event(kind, new.campaign_id); end if;
  return null;
end $$;
