-- Takes the deliveries that members have received out of turns in hand that nobody will finish: they were sent. The ledgers and lanes
-- must be locked.
create or replace function settle_received(account_ids bigint[]) returns void language plpgsql as $$
declare
  workspace_ids bigint[];
  run_ids bigint[];
begin
  with received as (
    update deliveries d
    set status = 'sent', sent_at = campanile_now(), not_before = null, error = null, error_code = null, error_params = null, uncertain = false,
        recipients = (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)
    where d.ctid = any(array(
      select q.ctid
      from lanes l cross join lateral unnest(l.in_hand) h (positions)
      cross join lateral (
        select p.ctid from deliveries p
        where p.workspace_id = l.workspace_id and p.run_id = l.in_hand_run_id and p.status = 'queued' and p.delivered + p.views > 0
          and p.position >= lower(h.positions) and p.position < upper(h.positions)
        order by p.position) q
      where l.account_id = any(account_ids)))
    returning d.workspace_id, d.run_id
  ), summed as (
    update runs r set sent = r.sent + n.count, queued = r.queued - n.count
    from (select workspace_id, run_id, count(*)::int as count from received group by workspace_id, run_id) n
    where r.workspace_id = n.workspace_id and r.run_id = n.run_id
    returning r.workspace_id, r.run_id)
  select array_agg(workspace_id), array_agg(run_id) into workspace_ids, run_ids from summed;
  if run_ids is not null then perform settle_runs(workspace_ids, run_ids); end if;
end $$;
