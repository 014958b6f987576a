-- Trigger function of lanes. Raises a check violation if a lane goes for which a delivery of a running run waits. With the ledger of the
-- workspace everything goes.
create or replace function require_nothing_waiting() returns trigger language plpgsql as $$
begin
  if exists (
    select from workspace_ledgers k
    join runs r on r.workspace_id = k.workspace_id and r.status = 'running'
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
    where k.workspace_id = old.workspace_id and d.status = 'queued' and d.account_id = old.account_id)
  then raise check_violation using constraint = 'deliveries_lane', message = 'a delivery would wait for an account that was removed';
  end if;
  return old;
end $$;
