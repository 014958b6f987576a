-- finish_turns for turns of which some end with refusals for good. A row of `refusals` has how many there are with one reason, and whether
-- nothing of the turn that was sent or failed came before them (`is_all`). They are added to those of the campaign; a campaign that then
-- has `enough` in a row and has not ended is paused. A delivery that was sent meanwhile ends the row. The settings have the reasons of
-- claim_turns.
create or replace function finish_refused_turns(turns jsonb, sent_ranges jsonb, others jsonb, refusals jsonb, enough int)
  returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  held jsonb;
  paused_campaigns bigint[];
begin
  -- In the order in which finish_turns locks them. The turns that it frees are held until then.
  perform from workspace_ledgers k
  where k.workspace_id = any(array(select i.workspace_id from jsonb_to_recordset(turns) i (workspace_id bigint)))
  order by k.workspace_id for no key update;
  select coalesce(jsonb_agg(f.refusal), '[]') into held
  from (
    select l.account_id, l.turn, l.in_hand_run_id is not null as is_held
    from jsonb_to_recordset(turns) i (account_id bigint)
    join lanes l on l.account_id = i.account_id order by l.account_id for no key update of l
  ) l
  join jsonb_array_elements(finish_refused_turns.refusals) f (refusal)
    on (f.refusal ->> 'account_id')::bigint = l.account_id and (f.refusal ->> 'turn')::bigint = l.turn
  where l.is_held;
  perform finish_turns(turns, sent_ranges, others);

  with refused as materialized (
    select c.campaign_id, o.reason, s.sent, c.status in ('scheduled', 'running') as is_open,
           o.count + case when o.is_all and c.refusal = o.reason and c.refusals_sent = s.sent then c.refusals else 0 end as refusals
    from jsonb_to_recordset(held) o (workspace_id bigint, run_id bigint, reason text, count int, is_all boolean)
    join runs r on r.workspace_id = o.workspace_id and r.run_id = o.run_id
    join campaigns c on c.campaign_id = r.campaign_id
    -- Of a long schedule hardly anything is read that is to come. A day more, should the clock have been set back.
    cross join lateral (
      select coalesce(sum(a.sent), 0)::int as sent from runs a
      where a.campaign_id = c.campaign_id and a.due_at <= campanile_now() + interval '1 day') s
    where o.reason is not null or c.refusals > 0
  ), changed as (
    update campaigns c
    set refusal = f.reason, refusals = least(f.refusals, 1000), refusals_sent = f.sent,
        status = case when f.is_open and f.refusals >= enough then 'paused' else c.status end,
        pause_reason = case when f.is_open and f.refusals >= enough then f.reason else c.pause_reason end
    from refused f where c.campaign_id = f.campaign_id
    returning c.campaign_id, f.is_open and c.status = 'paused' as is_paused
  )
  select array_agg(campaign_id) into paused_campaigns from changed where is_paused;
  if paused_campaigns is null then return; end if;
  update runs set paused = true, rescheduled_at = campanile_now()
  where campaign_id = any(paused_campaigns) and status in ('planned', 'running');
end $$;
