-- Takes the next turn of each account that is due. It locks shards, then lanes with their ledgers, and reads everything else in a later statement: that
-- statement sees current rows, and a worker that has lost its shard gets no turn. `skipped` accounts get no turn; with `wanted`, no other
-- accounts do. Poison message: this is how src/sending/deliveries/claim-isolated.ts finds and excludes an account that makes the claim
-- fail.
--
-- An account with quiet hours, a daily cap, a warm-up or a new link gets no turn, but a row with nothing but the account and the messenger: the caller
-- evaluates its rules, and claims for it with `rooms`, the number of posts that may leave of each account in `wanted`. Claims count the
-- posts that they take (docs/explanation/decisions/0028-enforce-send-windows-in-the-claim.md). An account in `quiet` has quiet hours: only runs that
-- ignore them get a turn. Of each account in `wanted`, `leftovers` has runs that go after all others, in this order, and `waiting` runs of
-- which nothing may leave yet: lists of their ids as texts.
--
-- A lane sends the deliveries of its account. Of a run that several accounts send, run_senders has how far the account has come. While another transaction has the ledger of the workspace locked, the lane stays due: nothing
-- here waits for a lock.
--
-- claim_turns and finish_turns are functions: one statement and one transaction each, planned once a connection. As query texts they would
-- be planned each time, which took longer than to execute them, and not every pooler supports named prepared statements.
--
-- A cached plan must be right for tables that were empty when it was made and have grown since. The settings below allow index lookups and
-- nested loops only. test/sending/deliveries/rows-read.slow.test.ts counts the rows that are read, and fails without them.
create or replace function claim_turns(
    worker bigint, of_shards smallint[], shard_limit int, lane_limit int, batch int, paced text[],
    skipped bigint[] default '{}', wanted bigint[] default null, rooms int[] default null, quiet bigint[] default '{}',
    leftovers text[] default null, waiting text[] default null)
  returns table (account_id bigint, workspace_id bigint, messenger text, turn bigint, run_id bigint, content_id bigint, "position" int,
                 message_id text, send_to text, attempts smallint, uncertain boolean, is_gone boolean)
  language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  due_accounts bigint[];
  due_workspaces bigint[];
  due_messengers text[];
  due_turns bigint[];
  due_room int[];
  due_slots timestamptz[];
  due_sent int[];
  now_slot constant timestamptz := quarter_hour(campanile_now());
begin
  select array_agg(l.account_id), array_agg(l.workspace_id), array_agg(l.messenger), array_agg(l.turn), array_agg(l.room), array_agg(l.sent_slot),
         array_agg(l.sent_in_slot)
  into due_accounts, due_workspaces, due_messengers, due_turns, due_room, due_slots, due_sent
  from (
    with held as materialized (
      select s.shard
      from (
        -- In the given order, until enough are found.
        select o.shard from unnest(of_shards) o (shard)
        -- The order forces a lookup for each shard, even if the plan was made while hardly any lane was awake.
        where (select l.wake_at from lanes l where l.shard = o.shard and l.wake_at <= campanile_now()
                 and l.account_id <> all(skipped) and (wanted is null or l.account_id = any(wanted))
               order by l.wake_at limit 1) is not null
        limit shard_limit
      ) due
      join shards s on s.shard = due.shard and s.worker_id = worker for share of s skip locked
    )
    select l.account_id, l.workspace_id, l.messenger, l.turn, l.sent_slot, l.sent_in_slot,
           case when rooms is not null then rooms[array_position(wanted, l.account_id)]
                -- A lookup for each. A warm-up takes two weeks.
                when (select coalesce(a.quiet_from, a.daily_cap::text) is not null or a.warm_up_from > campanile_now() - interval '16 days'
                             or a.rests_until > campanile_now()
                      from accounts a where a.account_id = l.account_id limit 1) then 0
                else batch end as room
    from held
    cross join lateral (
      select d.account_id, d.workspace_id, d.messenger, d.turn, d.sent_slot, d.sent_in_slot
      from lanes d join workspace_ledgers k on k.workspace_id = d.workspace_id
      where d.shard = held.shard and d.wake_at <= campanile_now()
        and d.account_id <> all(skipped) and (wanted is null or d.account_id = any(wanted))
      order by d.wake_at limit ceil(lane_limit::float8 / (select count(*) from held))::int for no key update of k, d skip locked
    ) l
    limit lane_limit
  ) l;
  if due_accounts is null then return; end if;

  if exists (select from unnest(due_slots, due_sent) i (slot, sent) where i.sent > 0 and i.slot <> now_slot) then
    insert into sent_slots as s (account_id, slot, posts)
    select i.account_id, i.slot, i.sent from unnest(due_accounts, due_slots, due_sent) i (account_id, slot, sent)
    where i.sent > 0 and i.slot <> now_slot
    on conflict (account_id, slot) do update set posts = s.posts + excluded.posts;
    update lanes l set sent_slot = now_slot, sent_in_slot = 0
    where l.account_id = any(due_accounts) and l.sent_in_slot > 0 and l.sent_slot <> now_slot;
  end if;

  return query
  with lane as materialized (
    select i.account_id, i.workspace_id, i.messenger, i.turn + 1 as turn, i.room,
           case when i.messenger = any(paced) then least(i.room, 1) else least(i.room, batch) end as most, exists (
      -- Runs start in the order they are due: a run that should have begun precedes everything else.
      -- `offset 0` makes the inner query use the workspace's index, and not the index of all due runs.
      select from (
        select p.paused from runs p where p.workspace_id = i.workspace_id and p.status = 'planned'
          and p.due_at <= campanile_now() and p.due_at > campanile_now() - interval '6 hours' offset 0) p
      where not p.paused) as blocked,
           coalesce(leftovers[array_position(wanted, i.account_id)]::bigint[], '{}') as leftovers,
           coalesce(waiting[array_position(wanted, i.account_id)]::bigint[], '{}') as waiting
    from unnest(due_accounts, due_workspaces, due_messengers, due_turns, due_room) i (account_id, workspace_id, messenger, turn, room)
  ), turn as materialized (
    -- A lane that has nothing to send has one row, without a run.
    select l.*, r.run_id, r.content_id, d.position, d.message_id, d.group_id, d.attempts, d.uncertain
    from lane l
    left join lateral (
      select r.run_id, r.content_id, f.position as next_position from runs r
      left join run_senders s on s.workspace_id = r.workspace_id and s.run_id = r.run_id and s.account_id = l.account_id
      cross join lateral (select case when r.is_shared then s.next_position else r.next_position end as position) f
      where l.room > 0 and not l.blocked
        and r.workspace_id = l.workspace_id and r.status = 'running' and not r.paused and not is_stalled(r.progress_at, r.workspace_id)
        and (r.ignores_quiet_hours or l.account_id <> all(quiet)) and r.run_id <> all(l.waiting)
        -- The order forces the index that has it, where another index seems as good.
        and ((select d.position from deliveries d where d.workspace_id = r.workspace_id and d.run_id = r.run_id
                and d.position >= f.position and d.status = 'queued' and d.not_before is null and d.account_id = l.account_id
              order by d.position limit 1) is not null
             or (select w.not_before from deliveries w where w.workspace_id = r.workspace_id and w.run_id = r.run_id
                   and w.not_before <= campanile_now() and w.account_id = l.account_id order by w.not_before limit 1) is not null)
      order by array_position(l.leftovers, r.run_id) nulls first, coalesce(s.served_turn, r.served_turn), r.due_at, r.run_id limit 1
    ) r on true
    left join lateral (
      (select w.position, w.message_id, w.group_id, w.attempts, w.uncertain from deliveries w
       where w.workspace_id = l.workspace_id and w.run_id = r.run_id and w.not_before <= campanile_now()
         and w.account_id = l.account_id
       -- `+ 0` avoids the order of an index: few deliveries wait, and sorting them is faster than walking along the whole run.
       order by w.position + 0 limit l.most)
      union all
      (select d.position, d.message_id, d.group_id, d.attempts, d.uncertain from deliveries d
       where d.workspace_id = l.workspace_id and d.run_id = r.run_id and d.position >= r.next_position
         and d.status = 'queued' and d.not_before is null and d.account_id = l.account_id
       order by d.position limit l.most)
      limit l.most
    ) d on true
  ), parked as (
    update lanes l
    set turn = case when t.taken > 0 then t.turn else l.turn end,
        in_hand_run_id = t.run_id, in_hand = t.positions,
        sent_slot = case when t.taken > 0 then now_slot else l.sent_slot end, sent_in_slot = l.sent_in_slot + t.taken,
        work_at = case
          when t.taken > 0 then null
          when t.blocked then campanile_now() + interval '1 second'
          else (
            select min(w.not_before)
            from runs r join deliveries w on w.workspace_id = r.workspace_id and w.run_id = r.run_id and w.not_before is not null
              and w.account_id = t.account_id
            where r.workspace_id = l.workspace_id and r.status = 'running' and not r.paused
              and not is_stalled(r.progress_at, l.workspace_id)
              and (r.ignores_quiet_hours or t.account_id <> all(quiet)) and r.run_id <> all(t.waiting)) end
    from (select account_id, turn, blocked, waiting, min(run_id) as run_id, count(position)::int as taken,
                 range_agg(int4range(position, position + 1)) filter (where position is not null) as positions
          from turn where room > 0 group by account_id, turn, blocked, waiting) t
    where l.account_id = t.account_id
  )
  select t.account_id, t.workspace_id, t.messenger, t.turn, t.run_id, t.content_id, t.position, t.message_id, g.send_to, t.attempts, t.uncertain,
         g.removed_at is not null
  from turn t
  join groups g on g.group_id = t.group_id
  union all
  select t.account_id, t.workspace_id, t.messenger, null, null, null, null, null, null, null, null, null from turn t where t.room = 0
  order by 1, 7;
end $$;
