-- Trigger function of deliveries. Raises a check violation if a delivery is queued for an account without a lane: nobody would send it. The
-- check is made when the transaction ends, since a retry queues a delivery before it gets another account.
create or replace function require_lane() returns trigger language plpgsql as $$
begin
  if exists (
    select from deliveries d
    where d.workspace_id = new.workspace_id and d.run_id = new.run_id and d.position = new.position and d.status = 'queued'
      and not exists (select from lanes l where l.account_id = d.account_id))
  then raise check_violation using constraint = 'deliveries_lane', message = 'a delivery would wait for an account that was removed';
  end if;
  return null;
end $$;
