-- Trigger function of deliveries, once a statement. Keeps group_sums equal to the deliveries that are in it (positions up to runs.summed), and
-- group_activity to those up to runs.in_activity.
-- The first check ends nearly every call. It is a lookup for each run, where a join planned over few runs would read all of them later. The ledgers must be locked, as for every change of a delivery.
create or replace function sum_changed_deliveries() returns trigger language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  lost group_sums[];
begin
  if not exists (
    select from (select workspace_id, run_id, min(position) as first from new_rows group by workspace_id, run_id) n
    where n.first <= (select r.summed from runs r where r.workspace_id = n.workspace_id and r.run_id = n.run_id limit 1)) then return null; end if;

  with change as materialized (
    -- `reached`, and what is made of it below: the same expressions as in src/sending/groups/update-activity.ts.
    select r.campaign_id, r.in_activity, d.*,
           case d.status when 'sent' then greatest(d.recipients, d.delivered, d.reactions, d.replies) else 0 end as reached
    from (select 1 as sign, n.* from new_rows n union all select -1, o.* from old_rows o) d
    join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id and d.position <= r.summed
  ), late as (
    insert into run_minutes as m (workspace_id, run_id, minute, sent)
    select workspace_id, run_id, date_trunc('minute', sent_at), sum(sign) from change
    where sent_at is not null group by 1, 2, 3 having sum(sign) <> 0
    on conflict (workspace_id, run_id, minute) do update set sent = m.sent + excluded.sent
  ), active as (
    insert into group_activity as a (workspace_id, group_id, last_sent_at, recipients, read, posts, failed)
    select workspace_id, group_id, max(sent_at) filter (where sign = 1 and status = 'sent'),
           sum(case status when 'sent' then sign * greatest(reached, views) else 0 end),
           sum(case status when 'sent' then sign * greatest(read, views) else 0 end),
           sum(sign * (status = 'sent')::int), sum(sign * (status = 'failed')::int)
    from change where position <= in_activity group by workspace_id, group_id
    on conflict (workspace_id, group_id) do update
    set last_sent_at = greatest(a.last_sent_at, excluded.last_sent_at), recipients = a.recipients + excluded.recipients,
        read = a.read + excluded.read, posts = a.posts + excluded.posts, failed = a.failed + excluded.failed
  ), acknowledged as (
    update runs r set acknowledging = r.acknowledging + n.acknowledging
    from (
      select c.workspace_id, c.run_id, sum(c.sign * c.reached)::int as acknowledging from change c join groups g on g.group_id = c.group_id
      where g.kind <> 'channel' group by c.workspace_id, c.run_id) n
    where r.workspace_id = n.workspace_id and r.run_id = n.run_id and n.acknowledging <> 0
  ), counted as (
    update group_sums s
    set first_sent_at = least(s.first_sent_at, c.first_sent_at), last_sent_at = greatest(s.last_sent_at, c.last_sent_at),
        recipients = s.recipients + c.recipients, delivered = s.delivered + c.delivered, read = s.read + c.read,
        reactions = s.reactions + c.reactions, replies = s.replies + c.replies, views = s.views + c.views,
        views_seen = s.views_seen or c.views_seen,
        queued = s.queued + c.queued, sent = s.sent + c.sent, failed = s.failed + c.failed, cancelled = s.cancelled + c.cancelled,
        failure = case when c.error_run_id >= coalesce(s.error_run_id, 0) then c.failure else s.failure end,
        error_waits = case when c.error_run_id >= coalesce(s.error_run_id, 0) then c.error_waits else s.error_waits end,
        error_run_id = greatest(s.error_run_id, c.error_run_id)
    from (
      select workspace_id, campaign_id, group_id, min(sent_at) as first_sent_at, max(sent_at) as last_sent_at,
             sum(sign * reached) as recipients,
             sum(sign * delivered) as delivered, sum(sign * read) as read, sum(sign * reactions) as reactions,
             sum(sign * replies) as replies, sum(sign * views) as views, bool_or(views_seen or views > 0) as views_seen,
             sum(sign * (status = 'queued')::int) as queued, sum(sign * (status = 'sent')::int) as sent,
             sum(sign * (status = 'failed')::int) as failed, sum(sign * (status = 'cancelled')::int) as cancelled,
             max(run_id) filter (where sign = 1 and error is not null) as error_run_id,
             (array_agg(jsonb_build_object('error', error, 'code', error_code, 'params', error_params) order by run_id desc)
                filter (where sign = 1 and error is not null))[1] as failure,
             (array_agg(status = 'queued' order by run_id desc) filter (where sign = 1 and error is not null))[1] as error_waits,
             max(run_id) filter (where sign = -1 and error is not null) as former_run_id
      from change group by workspace_id, campaign_id, group_id) c
    where s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id and s.group_id = c.group_id
    returning s, c.former_run_id >= s.error_run_id and c.error_run_id is distinct from s.error_run_id as is_lost
  )
  select array_agg(s) into lost from counted where is_lost;

  -- The latest error is gone, and the one before is the latest.
  if lost is null then return null; end if;
  with candidate as materialized (
    select r.workspace_id, r.campaign_id, r.run_id, r.content_id, r.summed
    from (select distinct campaign_id from unnest(lost)) l join runs r on r.campaign_id = l.campaign_id
    where r.summed > 0 and r.queued + r.failed + r.cancelled > 0
  )
  update group_sums s set failure = before.failure, error_run_id = before.run_id, error_waits = coalesce(before.waits, false)
  from unnest(lost) l
  left join lateral (
    select c.run_id, d.failure, d.waits
    from (select * from candidate where campaign_id = l.campaign_id and run_id < l.error_run_id order by run_id desc) c
    join contents t on t.content_id = c.content_id
    cross join lateral (
      select jsonb_build_object('error', q.error, 'code', q.error_code, 'params', q.error_params) as failure, q.status = 'queued' as waits
      from deliveries q
      where q.workspace_id = c.workspace_id and q.run_id = c.run_id and q.position = array_position(t.group_ids, l.group_id)
        and q.position <= c.summed and q.error is not null limit 1) d
    limit 1) before on true
  where s.workspace_id = l.workspace_id and s.campaign_id = l.campaign_id and s.group_id = l.group_id;
  return null;
end $$;
