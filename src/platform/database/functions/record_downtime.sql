-- Trigger function of accounts. Records since when an account cannot send.
create or replace function record_downtime() returns trigger language plpgsql as $$
begin
  new.down_since := case when new.status not in ('connected', 'reconnecting') or new.stop_reason is not null
                      then coalesce(new.down_since, campanile_now()) end;
  return new;
end $$;
