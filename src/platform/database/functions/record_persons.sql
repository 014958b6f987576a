-- Counts what members did about posts, each person once for each thing they did: an event that is known changes nothing. `bits` are those of
-- receipts.flags, `provisional` says whose id may prove to be somebody else's second one. The ledger must be locked.
create or replace function record_persons(
    of_workspace bigint, hash_seed bigint, message_ids text[], participants text[], bits smallint[], ats timestamptz[], provisional boolean[])
  returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
as $$
begin
  with event as (
    select e.message_id, e.participant, bit_or(e.flags) as flags, min(e.at) filter (where e.flags & 1 <> 0) as delivered_at,
           min(e.at) filter (where e.flags & 2 <> 0) as read_at, bool_or(e.is_provisional) as is_provisional
    from unnest(message_ids, participants, bits, ats, provisional) e (message_id, participant, flags, at, is_provisional)
    group by e.message_id, e.participant
  ), post as materialized (
    select e.message_id, d.run_id, d.position
    from (select distinct unnest(message_ids) as message_id) e
    cross join lateral (
      select q.run_id, q.position, q.sent_at from deliveries q where q.workspace_id + 0 = of_workspace and q.message_id = e.message_id limit 1) d
    -- Of a run that is closed nobody knows any more what has been counted.
    cross join lateral (select receipts_closed_at from runs where workspace_id = of_workspace and run_id = d.run_id limit 1) r
    where r.receipts_closed_at is null or d.sent_at > r.receipts_closed_at
  ), hit as materialized (
    select p.run_id, p.position, hashtextextended(e.participant, hash_seed) as participant, e.flags, e.delivered_at, e.read_at, e.is_provisional
    from event e join post p on p.message_id = e.message_id
  ), noted as (
    insert into provisional_receipts (workspace_id, participant, run_id, position)
    select of_workspace, participant, run_id, position from hit where is_provisional
    on conflict do nothing
  ), put as (
    insert into receipts as r (workspace_id, run_id, position, participant, delivered_at, read_at, flags, fresh)
    select of_workspace, run_id, position, participant, delivered_at, read_at, flags, flags from hit
    on conflict (workspace_id, run_id, position, participant) do update set
      fresh = excluded.flags & ~r.flags, flags = r.flags | excluded.flags,
      delivered_at = coalesce(r.delivered_at, excluded.delivered_at), read_at = coalesce(r.read_at, excluded.read_at)
    where excluded.flags & ~r.flags <> 0
    returning run_id, position, fresh, delivered_at, read_at
  ), summed as (
    update runs r set delivered = r.delivered + s.delivered, read = r.read + s.read
    from (select run_id, count(*) filter (where fresh & 1 <> 0)::int as delivered,
                 count(*) filter (where fresh & 2 <> 0)::int as read
          from put where fresh & 3 <> 0 group by run_id) s
    cross join lateral (select q.ctid from runs q where q.workspace_id = of_workspace and q.run_id = s.run_id limit 1) at
    where r.ctid = at.ctid
  ), counted as (
    update deliveries d
    set delivered = d.delivered + s.delivered, read = d.read + s.read, reactions = d.reactions + s.reactions,
        replies = d.replies + s.replies
    from (select run_id, position, count(*) filter (where fresh & 1 <> 0)::int as delivered,
                 count(*) filter (where fresh & 2 <> 0)::int as read, count(*) filter (where fresh & 4 <> 0)::int as reactions,
                 count(*) filter (where fresh & 8 <> 0)::int as replies
          from put group by run_id, position) s
    cross join lateral (
      select q.ctid from deliveries q
      where q.workspace_id = of_workspace and q.run_id = s.run_id and q.position = s.position limit 1) at
    where d.ctid = at.ctid
  )
  insert into run_minutes as m (workspace_id, run_id, minute, delivered, read)
  select of_workspace, run_id, date_trunc('minute', at), sum(x.delivered), sum(x.read)
  from put, lateral (values (case when fresh & 1 <> 0 then delivered_at end, 1, 0),
                            (case when fresh & 2 <> 0 then read_at end, 0, 1)) x (at, delivered, read)
  where at is not null
  group by 2, 3
  on conflict (workspace_id, run_id, minute) do update
  set delivered = m.delivered + excluded.delivered, read = m.read + excluded.read;
end $$;
