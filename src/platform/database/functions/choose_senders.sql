-- Returns which account sends to each of these groups of a workspace. The first account wins that is a member, may post there and can send:
-- it is connected, or has lost its connection for a shorter time than the workspace allows. If none can, the first wins that may post. Those in
-- `passed` come last. In order: the wanted one, those that are set for the group, for a list with it, for the workspace, the default account,
-- the others. In place of the first one, those in `resting` send only if no other can. A group without any member gets the default account.
-- `may_post`: the account may post there, and is not in `passed`. `is_fit`: and it can send. The rows have the order of the groups.
--
-- A group has one look for its members, and the rules are one value each, by group: joined as rows, while nobody knows how many there are,
-- each rule would be read for each group. The settings are those of claim_turns, for the same reason.
create or replace function choose_senders(
    of_workspace bigint, of_groups bigint[], wanted bigint default null, passed bigint[] default '{}', resting bigint[] default '{}')
  returns table (group_id bigint, account_id bigint, may_post boolean, is_fit boolean) language sql stable
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  with account as materialized (
    select a.account_id, a.is_default, a.account_id = any(resting) as is_resting, a.account_id = any(passed) as is_passed,
           is_down(a.status::text, a.stop_reason::text, a.down_since, w.failover_minutes) as is_down
    from workspaces w join accounts a using (workspace_id)
    where w.workspace_id = of_workspace and a.removed_at is null
  ), rule as materialized (
    select s.group_id, s.group_list_id, s.account_ids, s.set_at from senders s
    where s.workspace_id = of_workspace and s.replaced_at is null
  ), by_group as materialized (
    select jsonb_object_agg(r.group_id, r.account_ids::text) as rules from rule r where r.group_id is not null
  ), asked as materialized (
    select jsonb_object_agg(g, true) as groups from unnest(of_groups) g
  ), by_list as materialized (
    -- Of a group in several lists the rule counts that was set last.
    select jsonb_object_agg(i.group_id, r.account_ids::text order by r.set_at) as rules
    from (select * from rule where group_list_id is not null) r
    cross join lateral (select l.group_ids from group_lists l where l.group_list_id = r.group_list_id limit 1) l
    cross join unnest(l.group_ids) i (group_id)
    where (select a.groups from asked a) ? i.group_id::text
  ), by_workspace as materialized (
    select r.account_ids from rule r where r.group_id is null and r.group_list_id is null
  )
  select g.group_id, coalesce(c.account_id, (select d.account_id from account d where d.is_default)), coalesce(c.may_post, false),
         coalesce(c.is_fit, false)
  from unnest(of_groups) with ordinality g (group_id, ordinal)
  left join lateral (
    select m.account_id, m.may_post, m.is_fit
    from (
      select a.account_id, m.can_send, m.can_send and not a.is_passed as may_post, m.can_send and not a.is_passed and not a.is_down as is_fit,
             a.is_resting, row_number() over (
               order by a.account_id = wanted desc nulls last,
                        array_position(((select b.rules from by_group b) ->> m.group_id::text)::bigint[], a.account_id),
                        array_position(((select b.rules from by_list b) ->> m.group_id::text)::bigint[], a.account_id),
                        array_position((select b.account_ids from by_workspace b), a.account_id), a.is_default desc, a.account_id) as rank
      from group_accounts m join account a on a.account_id = m.account_id
      where m.group_id = g.group_id and m.gone_at is null
    ) m
    order by m.is_fit desc, m.may_post desc, m.can_send desc, m.is_resting and m.rank > 1, m.rank
    limit 1
  ) c on true
  order by g.ordinal
$$;
