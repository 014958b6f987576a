-- A turn's beginning and its end are functions: one statement and one transaction each, planned once a connection. Sent as text
-- they would be planned anew each time, which took longer than to carry them out, and statements prepared by name do not get
-- through every pooler. What calls them, and why they are as they are: src/deliveries/claim-turns.ts, finish-turns.ts,
-- settle-runs.ts.
--
-- A plan that is kept must be right for tables that were empty when it was made and have grown since. So the functions say how:
-- by index and by nested loop, a lookup for each row given.

-- Ends the runs of which nothing is queued any more, and counts them off their campaigns. The lanes must be locked.
create function settle_runs(account_ids bigint[], run_ids bigint[]) returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  campaign_ids bigint[];
begin
  with ended as (
    update runs r
    set status = case when r.failed > 0 then 'completed_with_errors' else 'completed' end::run_status, finished_at = campanile_now()
    from unnest(account_ids, run_ids) i (account_id, run_id)
    where r.account_id = i.account_id and r.run_id = i.run_id and r.status = 'running' and r.queued = 0
    returning r.campaign_id)
  select array_agg(campaign_id) into campaign_ids from ended;
  if campaign_ids is not null then perform close_runs(campaign_ids); end if;
end $$;

-- Counts ended runs off their campaigns, one for each time a campaign is named; a campaign with none left has ended too.
create function close_runs(campaign_ids bigint[]) returns void language sql as $$
  update campaigns c
  set open_runs = c.open_runs - e.ended,
      finished_at = case when c.open_runs = e.ended then campanile_now() end,
      status = case
        when c.status = 'cancelled' then c.status
        when c.open_runs = e.ended then case
          when exists (select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
          then 'completed_with_errors' else 'completed' end::campaign_status
        when c.status = 'running'
          and not exists (select from runs r where r.campaign_id = c.campaign_id and r.status = 'running')
        then 'scheduled' else c.status end
  from (select campaign_id, count(*)::int as ended from unnest(campaign_ids) i (campaign_id) group by 1) e
  where c.campaign_id = e.campaign_id
$$;

-- Takes back 'with errors' from ended runs, and their ended campaigns, in which nothing is failed any more. The lanes must be locked.
create function clear_errors(account_ids bigint[], run_ids bigint[]) returns void language sql as $$
  update runs r set status = 'completed'
  from unnest(account_ids, run_ids) i (account_id, run_id)
  where r.account_id = i.account_id and r.run_id = i.run_id and r.status = 'completed_with_errors' and r.failed = 0;

  update campaigns c set status = 'completed'
  where c.status = 'completed_with_errors' and not exists (
    select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
    and c.campaign_id = any (
      select r.campaign_id from unnest(account_ids, run_ids) i (account_id, run_id)
      join runs r on r.account_id = i.account_id and r.run_id = i.run_id)
$$;

-- What of a finished turn goes into the ledger, by kind. One array for each column; of `sent` a stretch of positions is a row, and
-- `recipients` has one number for each delivery sent, stretch after stretch.
create function finish_turns(
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
  changed int := 0;
  ended_accounts bigint[];
  ended_runs bigint[];
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

  with lane as materialized (
    select i.* from unnest(turn_accounts, turn_numbers, gaps_ms, rests_ms) i (account_id, turn, gap_ms, rest_ms)
    where i.account_id = any(held)
  ), sent as (
    update deliveries d
    set status = 'sent', sent_at = campanile_now(), not_before = null, attempts = d.attempts + 1,
        recipients = sent_recipients[o.skipped + d.position - o.first + 1], error = null, uncertain = false
    from unnest(sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped) o (account_id, run_id, first, last, skipped)
    where d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last and d.status = 'queued'
      and o.account_id = any(living)
    returning d.account_id, d.run_id, d.position, d.status
  ), other as (
    update deliveries d
    set status = case o.status when 'retry' then 'queued' else o.status end::delivery_status,
        not_before = case when o.status = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond' end,
        attempts = d.attempts + o.tries, error = o.error, uncertain = o.uncertain
    from unnest(other_accounts, other_runs, other_positions, other_statuses, other_waits_ms, other_tries, other_errors,
                other_uncertain) o (account_id, run_id, position, status, wait_ms, tries, error, uncertain)
    where d.account_id = o.account_id and d.run_id = o.run_id and d.position = o.position and d.status = 'queued'
      and o.account_id = any(held)
    returning d.account_id, d.run_id, d.position, d.status
  ), done as (
    select * from sent union all select * from other
  ), run as (
    update runs r
    set queued = r.queued - t.sent - t.failed, sent = r.sent + t.sent, failed = r.failed + t.failed,
        progress_at = case when t.sent > 0 then campanile_now() else r.progress_at end,
        next_position = case when l.turn is null then r.next_position else greatest(r.next_position, t.last + 1) end,
        served_turn = coalesce(l.turn, r.served_turn)
    from (select account_id, run_id, max(position) as last, count(*) filter (where status = 'sent')::int as sent,
                 count(*) filter (where status = 'failed')::int as failed
          from done group by account_id, run_id) t
    left join lane l on l.account_id = t.account_id
    where r.account_id = t.account_id and r.run_id = t.run_id
    returning r.account_id, r.run_id, r.queued
  ), unparked as (
    update lanes l
    set in_hand_run_id = null, in_hand = null,
        next_send_at = case when h.gap_ms > 0 then campanile_now() + h.gap_ms * interval '1 millisecond' else l.next_send_at end,
        held_until = case when h.rest_ms > 0 then greatest(l.held_until, campanile_now() + h.rest_ms * interval '1 millisecond')
                          else l.held_until end,
        wake_at = greatest(campanile_now() + greatest(h.gap_ms, h.rest_ms) * interval '1 millisecond', l.held_until)
    from lane h where l.account_id = h.account_id
  )
  select (select count(*) from sent), array_agg(account_id), array_agg(run_id) into changed, ended_accounts, ended_runs
  from run where queued = 0;

  if changed < cardinality(sent_recipients) then
    perform write_late_truth(living, sent_accounts, sent_runs, sent_firsts, sent_lasts, sent_skipped, sent_recipients);
  end if;
  if ended_runs is not null then perform settle_runs(ended_accounts, ended_runs); end if;
end $$;
