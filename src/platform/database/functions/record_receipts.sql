-- `record_persons` for a batch of an account in one statement: hardly a receipt comes about a post that is not known as sent. Returns false
-- and records nothing if one does. Receipts of an account that is gone are skipped.
create or replace function record_receipts(
    of_account bigint, message_ids text[], participants text[], bits smallint[], ats timestamptz[], provisional boolean[])
  returns boolean language plpgsql set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
as $$
declare
  of_workspace bigint;
  hash_seed bigint;
begin
  update workspace_ledgers k set changes = k.changes + 1
  where k.workspace_id = (select l.workspace_id from lanes l where l.account_id = of_account)
  returning k.workspace_id, coalesce(k.legacy_account_id, k.workspace_id) into of_workspace, hash_seed;
  if of_workspace is null then return true; end if;
  if exists (
    select from (select distinct unnest(message_ids) as message_id) e
    cross join lateral (
      select d.status from deliveries d where d.workspace_id + 0 = of_workspace and d.message_id = e.message_id limit 1) d
    where d.status <> 'sent') then return false; end if;
  perform record_persons(of_workspace, hash_seed, message_ids, participants, bits, ats, provisional);
  return true;
end $$;
