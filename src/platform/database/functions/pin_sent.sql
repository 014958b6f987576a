-- Wants the pin of posts that were sent, of runs whose posts are to be pinned. A post that has a row, because its pin was wanted before,
-- keeps it. Posts in channels are left out. The ledgers must be locked.
create or replace function pin_sent(workspace_ids bigint[], run_ids bigint[], firsts int[], lasts int[])
  returns void language sql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  insert into pins (workspace_id, run_id, position, group_id, account_id, wanted, number, seconds, sent_at)
  select d.workspace_id, d.run_id, d.position, d.group_id, d.account_id, 'pin', (select nextval('revision_numbers')), r.pin_seconds, d.sent_at
  from unnest(workspace_ids, run_ids, firsts, lasts) i (workspace_id, run_id, first, last)
  join runs r on r.workspace_id = i.workspace_id and r.run_id = i.run_id and r.pin_seconds is not null
  cross join lateral (
    select q.workspace_id, q.run_id, q.position, q.group_id, q.account_id, q.sent_at from deliveries q
    where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position between i.first and i.last and q.status = 'sent'
    order by q.position) d
  cross join lateral (select g.kind from groups g where g.group_id = d.group_id limit 1) g
  -- Of a removed account nothing is pinned: a receipt may prove only now that it sent the post.
  where g.kind <> 'channel' and (select l.account_id from lanes l where l.account_id = d.account_id) is not null
  on conflict (workspace_id, run_id, position) do nothing
$$;
