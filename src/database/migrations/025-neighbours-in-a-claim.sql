-- Turns of very many accounts again: what stands side by side is claimed and written together, and nothing is read that is dead.

-- Each entry by itself: of those that share an instant PostgreSQL would make one, which it can forget only as a whole, so that all
-- who look for what is due would walk past every lane that has long been served.
drop index lanes_wake;
create index lanes_wake on lanes (shard, wake_at) with (deduplicate_items = off) where wake_at is not null;

-- What has begun of a campaign is found by runs_campaign too, for it was due before; one index less to keep at both ends of a run.
drop index runs_begun;

-- Takes the next turn of each account that is due. The locks are taken in the order shards, lanes, and only the statement after
-- them looks at anything else, so what it sees is current and no turn is given to a worker that has lost its shard. Of a lane that is
-- closed there is a row with nothing but the account and the messenger. Settings as in 006-turns.sql, and for its reasons.
create or replace function claim_turns(
    worker bigint, of_shards smallint[], shard_limit int, lane_limit int, batch int, paced text[])
  returns table (account_id bigint, messenger text, turn bigint, run_id bigint, content_id bigint, "position" int,
                 message_id text, send_to text, attempts smallint, uncertain boolean)
  language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  due_accounts bigint[];
  due_messengers text[];
  due_turns bigint[];
  due_room int[];
begin
  select array_agg(l.account_id), array_agg(l.messenger), array_agg(l.turn), array_agg(l.room)
  into due_accounts, due_messengers, due_turns, due_room
  from (
    with held as materialized (
      select s.shard
      from (
        -- In the order given, and no further than enough are found.
        select o.shard from unnest(of_shards) o (shard)
        -- With an order, so that each shard is looked up by itself also when the plan was made while hardly any lane was awake.
        where (select l.wake_at from lanes l where l.shard = o.shard and l.wake_at <= campanile_now()
               order by l.wake_at limit 1) is not null
        limit shard_limit
      ) due
      join shards s on s.shard = due.shard and s.worker_id = worker for share of s skip locked
    )
    select l.account_id, l.messenger, l.turn,
           case when l.open_until > campanile_now() then coalesce(l.open_for, batch) else 0 end as room
    from held
    cross join lateral (
      select account_id, messenger, turn, open_until, open_for from lanes
      where lanes.shard = held.shard and wake_at <= campanile_now()
      order by wake_at limit ceil(lane_limit::float8 / (select count(*) from held))::int for no key update skip locked
    ) l
    limit lane_limit
  ) l;
  if due_accounts is null then return; end if;

  return query
  with lane as materialized (
    select i.account_id, i.messenger, i.turn + 1 as turn, i.room,
           case when i.messenger = any(paced) then least(i.room, 1) else least(i.room, batch) end as most, exists (
      -- Runs start in the order they are due: one that should have begun goes before whatever else could be sent.
      -- The inner query by itself, so that the account's own index serves it and not the one of all that is due.
      select from (
        select p.paused from runs p where p.account_id = i.account_id and p.status = 'planned'
          and p.due_at <= campanile_now() and p.due_at > campanile_now() - interval '6 hours' offset 0) p
      where not p.paused) as blocked
    from unnest(due_accounts, due_messengers, due_turns, due_room) i (account_id, messenger, turn, room)
  ), turn as materialized (
    -- A lane that has nothing to send has one row, without a run.
    select l.*, r.run_id, r.content_id, d.position, d.message_id, d.group_id, d.attempts, d.uncertain
    from lane l
    left join lateral (
      select r.run_id, r.content_id, r.next_position from runs r
      where l.room > 0 and not l.blocked
        and r.account_id = l.account_id and r.status = 'running' and not r.paused
        -- With an order, so that the index that has it serves these too, where another seems as good.
        and ((select d.position from deliveries d where d.account_id = r.account_id and d.run_id = r.run_id
                and d.position >= r.next_position and d.status = 'queued' and d.not_before is null
              order by d.position limit 1) is not null
             or (select w.not_before from deliveries w where w.account_id = r.account_id and w.run_id = r.run_id
                   and w.not_before <= campanile_now() order by w.not_before limit 1) is not null)
      order by r.served_turn, r.due_at, r.run_id limit 1
    ) r on true
    left join lateral (
      (select w.position, w.message_id, w.group_id, w.attempts, w.uncertain from deliveries w
       where w.account_id = l.account_id and w.run_id = r.run_id and w.not_before <= campanile_now()
       -- Not in the order of an index: few wait, and to walk along the whole run in search of them takes longer than to sort.
       order by w.position + 0 limit l.most)
      union all
      (select d.position, d.message_id, d.group_id, d.attempts, d.uncertain from deliveries d
       where d.account_id = l.account_id and d.run_id = r.run_id and d.position >= r.next_position
         and d.status = 'queued' and d.not_before is null
       order by d.position limit l.most)
      limit l.most
    ) d on true
  ), told as (
    update lanes l
    set turn = case when t.taken > 0 then t.turn else l.turn end,
        in_hand_run_id = t.run_id, in_hand = t.positions, open_for = l.open_for - t.taken,
        wake_at = case
          when t.taken > 0 then null
          when t.blocked then campanile_now() + interval '1 second'
          else (
            select case when min(w.not_before) is not null then greatest(min(w.not_before), l.next_send_at, l.held_until) end
            from runs r join deliveries w on w.account_id = r.account_id and w.run_id = r.run_id and w.not_before is not null
            where r.account_id = l.account_id and r.status = 'running' and not r.paused) end
    from (select account_id, turn, blocked, min(run_id) as run_id, count(position)::int as taken,
                 range_agg(int4range(position, position + 1)) filter (where position is not null) as positions
          from turn where room > 0 group by account_id, turn, blocked) t
    where l.account_id = t.account_id
  )
  select t.account_id, t.messenger, t.turn, t.run_id, t.content_id, t.position, t.message_id, g.send_to, t.attempts, t.uncertain
  from turn t
  cross join lateral (select g.send_to from groups g where g.group_id = t.group_id limit 1) g
  where t.position is not null
  union all
  select t.account_id, t.messenger, null, null, null, null, null, null, null, null from turn t where t.room = 0
  order by 1, 6;
end $$;

-- What of a finished turn goes into the ledger, by kind. One array for each column; of `sent` a stretch of positions is a row, and
-- `recipients` has one number for each delivery sent, stretch after stretch. A lane looks for more only where there is more.
create or replace function finish_turns(
    turn_accounts bigint[], turn_numbers bigint[], gaps_ms float8[], rests_ms float8[],
    sent_accounts bigint[], sent_runs bigint[], sent_firsts int[], sent_lasts int[], sent_skipped int[], sent_recipients int[],
    other_accounts bigint[], other_runs bigint[], other_positions int[], other_statuses text[], other_waits_ms float8[],
    other_tries smallint[], other_errors text[], other_uncertain boolean[])
  returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  living bigint[];
  held bigint[];
  -- Nearly always. Only otherwise does each account have to be looked for among the others.
  all_live boolean;
  all_held boolean;
  changed int := 0;
  ended_campaigns bigint[];
begin
  -- Accounts that are gone have no lane; a turn whose number has moved on is fenced.
  select array_agg(l.account_id), array_agg(l.account_id) filter (where l.held) into living, held
  from (
    select l.account_id, l.turn = i.turn and l.in_hand_run_id is not null as held
    from unnest(turn_accounts, turn_numbers) i (account_id, turn)
    join lanes l on l.account_id = i.account_id
    order by l.account_id for no key update of l
  ) l;
  if living is null then return; end if;
  all_live := cardinality(living) = cardinality(turn_accounts);
  all_held := coalesce(cardinality(held), 0) = cardinality(turn_accounts);

  with sent as (
    update deliveries d
    set status = 'sent', sent_at = campanile_now(), not_before = null, attempts = d.attempts + 1,
        recipients = sent_recipients[o.skipped + d.position - o.first + 1], error = null, uncertain = false
    from unnest(sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped) o (account_id, run_id, first, last, skipped)
    cross join lateral (
      select q.ctid from deliveries q
      where q.account_id = o.account_id and q.run_id = o.run_id and q.position between o.first and o.last and q.status = 'queued'
      -- With an order, so that they are looked up by it: where accounts have few deliveries the index of message ids seems as
      -- good, by which all that the account has ever sent would be read.
      order by q.position
    ) at
    where d.ctid = at.ctid and (all_live or o.account_id = any(living))
    returning d.account_id, d.run_id, d.position, d.status
  ), other as (
    update deliveries d
    set status = case o.status when 'retry' then 'queued' else o.status end::delivery_status,
        not_before = case when o.status = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond' end,
        attempts = d.attempts + o.tries, error = o.error, uncertain = o.uncertain
    from unnest(other_accounts, other_runs, other_positions, other_statuses, other_waits_ms, other_tries, other_errors,
                other_uncertain) o (account_id, run_id, position, status, wait_ms, tries, error, uncertain)
    cross join lateral (
      select q.ctid from deliveries q
      -- Likewise: an order among equals would be none.
      where q.account_id = o.account_id and q.run_id = o.run_id and q.position >= o.position and q.position <= o.position
        and q.status = 'queued'
      order by q.position
    ) at
    where d.ctid = at.ctid and (all_held or o.account_id = any(held))
    returning d.account_id, d.run_id, d.position, d.status
  ), run as (
    update runs r
    set queued = r.queued - t.sent - t.failed, sent = r.sent + t.sent, failed = r.failed + t.failed,
        progress_at = case when t.sent > 0 then campanile_now() else r.progress_at end,
        next_position = case when t.is_held then greatest(r.next_position, t.last + 1) else r.next_position end,
        served_turn = case when t.is_held then t.turn else r.served_turn end,
        -- As settle_runs has it, at one go.
        status = case when r.status = 'running' and r.queued = t.sent + t.failed
          then case when r.failed + t.failed > 0 then 'completed_with_errors' else 'completed' end::run_status
          else r.status end,
        finished_at = case when r.status = 'running' and r.queued = t.sent + t.failed then campanile_now() else r.finished_at end
    from (
      select n.*, l.turn, all_held or n.account_id = any(held) as is_held
      from (
        select account_id, run_id, max(position) as last, count(*) filter (where status = 'sent')::int as sent,
               count(*) filter (where status = 'failed')::int as failed
        from (select * from sent union all select * from other) done group by account_id, run_id
      ) n
      join lanes l on l.account_id = n.account_id
    ) t
    where r.account_id = t.account_id and r.run_id = t.run_id
    returning r.campaign_id, r.queued, r.finished_at = campanile_now() and r.status <> 'cancelled' as is_over
  )
  select (select count(*) from sent), array_agg(campaign_id) filter (where queued = 0 and is_over)
  into changed, ended_campaigns from run;

  if changed < cardinality(sent_recipients) then
    perform write_late_truth(living, sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped, sent_recipients);
  end if;
  if ended_campaigns is not null then perform close_runs(ended_campaigns); end if;

  update lanes l
  set in_hand_run_id = null, in_hand = null,
      next_send_at = case when i.gap_ms > 0 then campanile_now() + i.gap_ms * interval '1 millisecond' else l.next_send_at end,
      held_until = case when i.rest_ms > 0 then greatest(l.held_until, campanile_now() + i.rest_ms * interval '1 millisecond')
                        else l.held_until end,
      wake_at = case
        when (select r.run_id from runs r where r.account_id = l.account_id and r.status = 'running' and not r.paused
              order by r.run_id limit 1) is not null
        then greatest(campanile_now() + greatest(i.gap_ms, i.rest_ms) * interval '1 millisecond', l.held_until) end
  from unnest(turn_accounts, turn_numbers, gaps_ms, rests_ms) i (account_id, turn, gap_ms, rest_ms)
  where l.account_id = i.account_id and (all_held or i.account_id = any(held));
end $$;
