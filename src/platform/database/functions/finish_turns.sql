-- Writes the outcomes of finished turns. A row of `sent_ranges` is a range of positions that were sent, with the recipients of each, or
-- null where the group's last known number counts;
-- `others` has a row for each delivery that was not sent. A turn's `unsent` is how many of its posts surely did not leave: they are
-- subtracted from the count of its claim. Each row names the workspace, and the account whose lane has
-- the turn. The settings have the reasons of claim_turns.
create or replace function finish_turns(turns jsonb, sent_ranges jsonb, others jsonb)
  returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  living bigint[];
  -- An array instead of a condition on lanes: the planner believes that hardly any turn is in hand, and would read all lanes for each.
  held bigint[];
  -- Turns that were claimed in another quarter hour.
  crossing bigint[];
  -- True nearly always; otherwise each account is looked up in the array.
  all_live boolean;
  all_held boolean;
  changed int := 0;
  ended_campaigns bigint[];
  ended_workspaces bigint[];
  ended_runs bigint[];
  -- Runs that several accounts send.
  shared_runs bigint[];
  served_workspaces bigint[];
  served_runs bigint[];
  served_accounts bigint[];
  -- Runs whose posts are pinned once they are sent: hardly any.
  pinned_runs bigint[];
begin
  perform from workspace_ledgers k
  where k.workspace_id = any(array(select i.workspace_id from jsonb_to_recordset(turns) i (workspace_id bigint)))
  order by k.workspace_id for no key update;
  -- Fencing token: a turn whose number has moved on is fenced, even beside another turn of its account. Deleted accounts have no lane.
  select array_agg(l.account_id), array_agg(l.account_id) filter (where l.held),
         array_agg(l.account_id) filter (where l.held and l.sent_slot <> quarter_hour(campanile_now()))
  into living, held, crossing
  from (
    select l.account_id, l.sent_slot, l.turn = i.turn and l.in_hand_run_id is not null as held
    from jsonb_to_recordset(turns) i (account_id bigint, turn bigint)
    join lanes l on l.account_id = i.account_id
    order by l.account_id for no key update of l
  ) l;
  if living is null then return; end if;
  all_live := cardinality(living) = jsonb_array_length(turns);
  all_held := coalesce(cardinality(held), 0) = jsonb_array_length(turns);
  if not all_held then
    select coalesce(jsonb_agg(o.effect), '[]') into others
    from jsonb_array_elements(others) o (effect)
    join lanes l on l.account_id = (o.effect ->> 'account_id')::bigint and l.turn = (o.effect ->> 'turn')::bigint
    where l.account_id = any(held);
  end if;

  with sent as (
    update deliveries d
    set status = 'sent', sent_at = campanile_now(), not_before = null, attempts = d.attempts + 1,
        recipients = coalesce(o.recipients[d.position - o.first + 1],
          (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)),
        error = null, error_code = null, error_params = null, uncertain = false
    from jsonb_to_recordset(sent_ranges) o (workspace_id bigint, account_id bigint, turn bigint, run_id bigint, first int, last int, recipients int[])
    cross join lateral (
      select q.ctid from deliveries q
      where q.workspace_id = o.workspace_id and q.run_id = o.run_id and q.position between o.first and o.last and q.status = 'queued'
      -- The order forces the primary key: where workspaces have few deliveries, the index of message ids seems as good, and would
      -- read everything that the workspace has ever sent.
      order by q.position
    ) at
    where d.ctid = at.ctid and (all_live or o.account_id = any(living))
    returning d.workspace_id, o.account_id, o.turn, d.run_id, d.position, d.status
  ), other as (
    update deliveries d
    -- A delivery that a member has received meanwhile was sent, whatever this attempt resulted in.
    set status = case when d.delivered + d.views > 0 then 'sent' when o.status = 'retry' then 'queued' else o.status end::delivery_status,
        not_before = case when o.status = 'retry' and d.delivered + d.views = 0
                       then campanile_now() + o.wait_ms * interval '1 millisecond' end,
        sent_at = case when d.delivered + d.views > 0 then campanile_now() end,
        recipients = case when d.delivered + d.views > 0
          then (select g.participants - case g.kind when 'channel' then 0 else 1 end from groups g where g.group_id = d.group_id)
          else d.recipients end,
        attempts = d.attempts + o.tries, error = case when d.delivered + d.views = 0 then o.error end,
        error_code = case when d.delivered + d.views = 0 then o.error_code end,
        error_params = case when d.delivered + d.views = 0 then o.error_params end,
        uncertain = o.uncertain and d.delivered + d.views = 0
    from jsonb_to_recordset(others) o (workspace_id bigint, account_id bigint, turn bigint, run_id bigint, position int, status text, wait_ms float8,
                                       tries smallint, error text, error_code text, error_params jsonb, uncertain boolean)
    -- A lookup for each, whatever the planner believes of a table that has just grown.
    cross join lateral (
      select q.ctid from deliveries q
      where q.workspace_id = o.workspace_id and q.run_id = o.run_id and q.position = o.position and q.status = 'queued' limit 1) at
    where d.ctid = at.ctid
    returning d.workspace_id, o.account_id, o.turn, d.run_id, d.position, d.status
  ), run as (
    update runs r
    set queued = r.queued - t.sent - t.failed, sent = r.sent + t.sent, failed = r.failed + t.failed,
        progress_at = case when t.sent > 0 then campanile_now() else r.progress_at end,
        -- Of a run that several accounts send, earlier deliveries may wait for another.
        next_position = case when r.is_shared then coalesce((
            select q.position from deliveries q
            where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position >= r.next_position and q.status = 'queued'
              and q.not_before is null order by q.position limit 1), r.next_position)
          else greatest(r.next_position, t.held_last + 1) end,
        served_turn = coalesce(t.held_turn, r.served_turn),
        -- The same as settle_runs, in this statement.
        status = case when r.status = 'running' and r.queued = t.sent + t.failed
          then case when r.failed + t.failed > 0 then 'completed_with_errors' else 'completed' end::run_status
          else r.status end,
        finished_at = case when r.status = 'running' and r.queued = t.sent + t.failed then campanile_now() else r.finished_at end
    from (
      select n.workspace_id, n.run_id, sum(n.sent)::int as sent, sum(n.failed)::int as failed,
             max(n.last) filter (where l.turn is not null) as held_last, max(l.turn) as held_turn
      from (
        select workspace_id, account_id, turn, run_id, max(position) as last, count(*) filter (where status = 'sent')::int as sent,
               count(*) filter (where status = 'failed')::int as failed
        from (select * from sent union all select * from other) done group by workspace_id, account_id, turn, run_id
      ) n
      left join lanes l on l.account_id = n.account_id and l.turn = n.turn and (all_held or n.account_id = any(held))
      group by n.workspace_id, n.run_id
    ) t
    where r.workspace_id = t.workspace_id and r.run_id = t.run_id
    returning r.campaign_id, r.workspace_id, r.run_id, r.is_shared, r.pin_seconds is not null and t.sent > 0 as is_pinned,
              r.queued = 0 and r.finished_at = campanile_now() and r.status <> 'cancelled' as is_over
  )
  select (select count(*) from sent), array_agg(campaign_id) filter (where is_over), array_agg(workspace_id) filter (where is_over),
         array_agg(run_id) filter (where is_over), array_agg(run_id) filter (where is_pinned), array_agg(run_id) filter (where is_shared)
  into changed, ended_campaigns, ended_workspaces, ended_runs, pinned_runs, shared_runs from run;

  if shared_runs is not null then
    with served as (
      update run_senders s set served_turn = o.turn
      from (select workspace_id, account_id, turn, run_id
            from jsonb_to_recordset(sent_ranges) s (workspace_id bigint, account_id bigint, turn bigint, run_id bigint)
            union
            select workspace_id, account_id, turn, run_id
            from jsonb_to_recordset(others) n (workspace_id bigint, account_id bigint, turn bigint, run_id bigint)) o
      join lanes l on l.account_id = o.account_id and l.turn = o.turn
      where o.run_id = any(shared_runs) and (all_held or o.account_id = any(held))
        and s.workspace_id = o.workspace_id and s.run_id = o.run_id and s.account_id = o.account_id
      returning s.workspace_id, s.run_id, s.account_id
    )
    select array_agg(workspace_id), array_agg(run_id), array_agg(account_id) into served_workspaces, served_runs, served_accounts from served;
    perform advance_senders(served_workspaces, served_runs, served_accounts);
  end if;

  if pinned_runs is not null then
    perform pin_sent(array_agg(o.workspace_id), array_agg(o.run_id), array_agg(o.first), array_agg(o.last))
    from (select workspace_id, account_id, run_id, first, last
          from jsonb_to_recordset(sent_ranges) s (workspace_id bigint, account_id bigint, run_id bigint, first int, last int)
          union all
          select workspace_id, account_id, run_id, position, position
          from jsonb_to_recordset(others) n (workspace_id bigint, account_id bigint, run_id bigint, position int)) o
    where o.run_id = any(pinned_runs) and (all_live or o.account_id = any(living));
  end if;

  if changed < (select sum(last - first + 1) from jsonb_to_recordset(sent_ranges) o (first int, last int)) then
    perform write_late_sends(living, sent_ranges);
  end if;
  if ended_campaigns is not null then
    perform require_settled(ended_workspaces, ended_runs);
    perform close_runs(ended_campaigns);
  end if;

  if crossing is not null then perform count_in_hand_now(crossing); end if;
  update lanes l
  set in_hand_run_id = null, in_hand = null, sent_in_slot = l.sent_in_slot - i.unsent,
      next_send_at = case when i.gap_ms > 0 then campanile_now() + i.gap_ms * interval '1 millisecond' else l.next_send_at end,
      held_until = case when i.rest_ms > 0 then greatest(l.held_until, rest_until(l.account_id, i.rest_ms)) else l.held_until end,
      work_at = case
        when (select r.run_id from runs r where r.workspace_id = l.workspace_id and r.status = 'running' and not r.paused
              order by r.run_id limit 1) is not null
        then campanile_now() end
  from jsonb_to_recordset(turns) i (account_id bigint, turn bigint, unsent int, gap_ms float8, rest_ms float8)
  where l.account_id = i.account_id and l.turn = i.turn and (all_held or i.account_id = any(held));
end $$;
