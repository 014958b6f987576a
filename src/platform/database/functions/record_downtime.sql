-- Trigger function of accounts. Records since when an account is not connected, whatever the reason, or is stopped.
create or replace function record_downtime() returns trigger language plpgsql as $$
begin
  new.down_since := case when new.status <> 'connected' or new.stop_reason is not null then coalesce(new.down_since, campanile_now()) end;
  return new;
end $$;
