-- Counts the posts in hand of these accounts in the present quarter hour instead of the one of their claim: midnight may have passed since,
-- and they leave, or may have left, after it. The lanes must be locked.
create or replace function count_in_hand_now(account_ids bigint[]) returns void language plpgsql
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  now_slot constant timestamptz := quarter_hour(campanile_now());
begin
  insert into sent_slots as s (account_id, slot, posts)
  select l.account_id, l.sent_slot, l.sent_in_slot - count_positions(l.in_hand)
  from lanes l
  where l.account_id = any(account_ids) and l.in_hand_run_id is not null and l.sent_slot <> now_slot
    and l.sent_in_slot > count_positions(l.in_hand)
  on conflict (account_id, slot) do update set posts = s.posts + excluded.posts;

  update lanes l set sent_slot = now_slot, sent_in_slot = count_positions(l.in_hand)
  where l.account_id = any(account_ids) and l.in_hand_run_id is not null and l.sent_slot <> now_slot;
end $$;
