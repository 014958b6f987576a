-- Returns which account sends to each of these groups of a workspace. The first account wins that is a member, may post there and has not been
-- down for longer than the workspace allows; `passed` is left out. In order: the wanted one, those that are set for the group, for a list
-- with it, for the workspace, the default account, the others. A group without any member gets the default account. The rows have the order
-- of the groups.
--
-- A group has one look for its members, and the rules are one value each, by group: joined as rows, while nobody knows how many there are,
-- each rule would be read for each group. The settings are those of claim_turns, for the same reason.
create or replace function choose_senders(of_workspace bigint, of_groups bigint[], wanted bigint default null, passed bigint default null)
  returns table (group_id bigint, account_id bigint) language sql stable
  set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  with account as materialized (
    select a.account_id, a.is_default,
           coalesce(a.down_since <= campanile_now() - w.failover_minutes * interval '1 minute', false)
             or coalesce(a.account_id = passed, false) as is_out
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
  select g.group_id, coalesce(c.account_id, (select d.account_id from account d where d.is_default))
  from unnest(of_groups) with ordinality g (group_id, ordinal)
  left join lateral (
    select a.account_id from group_accounts m join account a on a.account_id = m.account_id
    where m.group_id = g.group_id and m.gone_at is null
    order by m.can_send and not a.is_out desc, m.can_send desc, a.account_id = wanted desc nulls last,
             array_position(((select b.rules from by_group b) ->> m.group_id::text)::bigint[], a.account_id),
             array_position(((select b.rules from by_list b) ->> m.group_id::text)::bigint[], a.account_id),
             array_position((select b.account_ids from by_workspace b), a.account_id), a.is_default desc, a.account_id
    limit 1
  ) c on true
  order by g.ordinal
$$;
