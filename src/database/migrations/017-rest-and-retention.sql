-- When an account rests (docs/explanation/decisions/0028), and what is not kept for ever (docs/how-to/operations.md).

-- Between the two times of day, in the user's zone, nothing is sent; over midnight when quiet_to comes first. Both or neither.
alter table accounts add quiet_from text check (quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');
alter table accounts add quiet_to   text check (quiet_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$');
alter table accounts add check ((quiet_from is null) = (quiet_to is null) and quiet_from <> quiet_to);
-- At most so many deliveries are sent on one day of the user's zone.
alter table accounts add daily_cap  int check (daily_cap > 0);

-- Until when, and for how many deliveries, turns are taken without looking at such rules again: for ever where there are none. Of a
-- lane that is closed a worker looks the rules up, and opens it again or lets it sleep: src/deliveries/open-lanes.ts.
alter table lanes add open_until timestamptz not null default 'infinity';
alter table lanes add open_for   int;          -- null: any number

-- What was sent today is counted by runs: those under way, and those that have ended today.
create index runs_ended on runs (account_id, finished_at) where finished_at is not null;

-- Receipts are kept so that a repeat is known as one. From then on none is counted any more, and the rows may go.
alter table runs add receipts_closed_at timestamptz;
alter table runs add receipts_dropped   boolean not null default false;
create index runs_receipts on runs (finished_at) where finished_at is not null and not receipts_dropped;

-- When a file was last put into a campaign or sent along with a command; a day later it goes, unless a campaign has it.
alter table media add used_at timestamptz not null default campanile_now();

-- Takes the next turn of each account that is due. The locks are taken in the order shards, lanes, and only the statement after
-- them looks at anything else, so what it sees is current and no turn is given to a worker that has lost its shard. Of a lane that is
-- closed there is a row with nothing but the account and the messenger. Settings as in 006-turns.sql, and for its reasons.
create function claim_turns(worker bigint, of_shards smallint[], shard_limit int, lane_limit int, batch int, paced text[])
  returns table (account_id bigint, messenger text, turn bigint, run_id bigint, content_id bigint, "position" int,
                 message_id text, send_to text, attempts smallint, uncertain boolean)
  language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  due_accounts bigint[];
  due_messengers text[];
  due_room int[];
begin
  select array_agg(l.account_id), array_agg(l.messenger), array_agg(l.room) into due_accounts, due_messengers, due_room
  from (
    with held as materialized (
      select s.shard from shards s
      where s.worker_id = worker and s.shard = any(of_shards)
        and exists (select from lanes l where l.shard = s.shard and l.wake_at <= campanile_now())
      order by random() limit shard_limit for share skip locked
    )
    select l.account_id, l.messenger, case when l.open_until > campanile_now() then coalesce(l.open_for, batch) else 0 end as room
    from held
    cross join lateral (
      select account_id, messenger, open_until, open_for from lanes
      where lanes.shard = held.shard and wake_at <= campanile_now()
      order by wake_at limit ceil(lane_limit::float8 / (select count(*) from held))::int for no key update skip locked
    ) l
    limit lane_limit
  ) l;
  if due_accounts is null then return; end if;

  return query
  with lane as materialized (
    select i.account_id, i.messenger, i.room, case when i.messenger = any(paced) then least(i.room, 1) else least(i.room, batch) end as most, exists (
      -- Runs start in the order they are due: one that should have begun goes before whatever else could be sent.
      -- The inner query by itself, so that the account's own index serves it and not the one of all that is due.
      select from (
        select p.paused from runs p where p.account_id = i.account_id and p.status = 'planned'
          and p.due_at <= campanile_now() and p.due_at > campanile_now() - interval '6 hours' offset 0) p
      where not p.paused) as blocked
    from unnest(due_accounts, due_messengers, due_room) i (account_id, messenger, room)
  ), turn as materialized (
    select l.account_id, l.messenger, r.run_id, r.content_id, d.*
    from lane l
    cross join lateral (
      select r.run_id, r.content_id, r.next_position from runs r
      where r.account_id = l.account_id and r.status = 'running' and not r.paused
        and (exists (select from deliveries d where d.account_id = r.account_id and d.run_id = r.run_id
                       and d.position >= r.next_position and d.status = 'queued' and d.not_before is null)
             or exists (select from deliveries w where w.account_id = r.account_id and w.run_id = r.run_id
                          and w.not_before <= campanile_now()))
      order by r.served_turn, r.due_at, r.run_id limit 1
    ) r
    cross join lateral (
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
    ) d
    where not l.blocked and l.room > 0
  ), parked as (
    update lanes l set turn = l.turn + 1, wake_at = null, in_hand_run_id = t.run_id, in_hand = t.positions,
           open_for = l.open_for - t.taken
    from (select account_id, min(run_id) as run_id, count(*)::int as taken, range_agg(int4range(position, position + 1)) as positions
          from turn group by account_id) t
    where l.account_id = t.account_id
    returning l.account_id, l.turn
  ), asleep as (
    update lanes l
    set wake_at = case when i.blocked then campanile_now() + interval '1 second' else (
      select case when min(w.not_before) is not null then greatest(min(w.not_before), l.next_send_at, l.held_until) end
      from runs r join deliveries w on w.account_id = r.account_id and w.run_id = r.run_id and w.not_before is not null
      where r.account_id = l.account_id and r.status = 'running' and not r.paused) end
    from lane i
    where l.account_id = i.account_id and i.room > 0 and not exists (select from turn t where t.account_id = l.account_id)
  )
  select t.account_id, t.messenger, p.turn, t.run_id, t.content_id, t.position, t.message_id, g.send_to, t.attempts, t.uncertain
  from turn t join parked p on p.account_id = t.account_id
  cross join lateral (select g.send_to from groups g where g.group_id = t.group_id limit 1) g
  union all
  select l.account_id, l.messenger, null, null, null, null, null, null, null, null from lane l where l.room = 0
  order by 1, 6;
end $$;
