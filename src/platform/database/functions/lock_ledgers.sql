-- Locks the lanes of turns that send in the ledger of another account, and those ledgers, whose change it counts, in the order in which all
-- lanes are locked. Other turns are left to the caller.
create or replace function lock_ledgers(turns jsonb) returns void language plpgsql as $$
begin
  if not exists (select from jsonb_to_recordset(turns) i (account_id bigint, ledger_id bigint) where i.ledger_id <> i.account_id) then return; end if;
  perform from lanes l
  where l.account_id in (select i.account_id from jsonb_to_recordset(turns) i (account_id bigint)
                         union select i.ledger_id from jsonb_to_recordset(turns) i (ledger_id bigint))
  order by l.account_id for no key update;
  update lanes l set changes = l.changes + 1
  from (select distinct ledger_id from jsonb_to_recordset(turns) i (account_id bigint, ledger_id bigint) where i.ledger_id <> i.account_id) i
  where l.account_id = i.ledger_id;
end $$;
