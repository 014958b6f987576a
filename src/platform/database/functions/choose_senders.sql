-- Returns which account sends to each of these groups of a workspace. The first account wins that is a member, may post there and has not been
-- down for longer than the workspace allows; those in `passed` are left out. In order: the wanted one, those that are set for the group, for a
-- list with it, for the workspace, the default account, the others. In place of the first one, those in `resting` send only if no other
-- can. A group without any member gets the default account. `is_fit`: the account can send to the group.
create or replace function choose_senders(
    of_workspace bigint, of_groups bigint[], wanted bigint default null, passed bigint[] default '{}', resting bigint[] default '{}')
  returns table (group_id bigint, account_id bigint, is_fit boolean) language sql stable as $$
  with account as materialized (
    select a.account_id, a.is_default, a.account_id = any(resting) as is_resting,
           coalesce(a.down_since <= campanile_now() - w.failover_minutes * interval '1 minute', false) or a.account_id = any(passed) as is_out
    from workspaces w join accounts a using (workspace_id)
    where w.workspace_id = of_workspace and a.removed_at is null
  ), rule as materialized (
    select s.group_id, s.group_list_id, s.account_ids, s.set_at from senders s
    where s.workspace_id = of_workspace and s.replaced_at is null
  ), listed as materialized (
    select distinct on (i.group_id) i.group_id, r.account_ids
    from rule r join group_lists l on l.group_list_id = r.group_list_id cross join unnest(l.group_ids) i (group_id)
    where i.group_id = any(of_groups)
    order by i.group_id, r.set_at desc
  ), member as (
    select m.group_id, a.account_id, m.can_send, a.is_resting, m.can_send and not a.is_out as is_fit, row_number() over (
             partition by m.group_id
             order by a.account_id = wanted desc nulls last, array_position(r.account_ids, a.account_id),
                      array_position(l.account_ids, a.account_id), array_position(w.account_ids, a.account_id), a.is_default desc,
                      a.account_id) as rank
    from group_accounts m
    join account a on a.account_id = m.account_id
    left join rule r on r.group_id = m.group_id
    left join listed l on l.group_id = m.group_id
    left join rule w on w.group_id is null and w.group_list_id is null
    where m.group_id = any(of_groups) and m.gone_at is null
  ), choice as (
    select distinct on (m.group_id) m.group_id, m.account_id, m.is_fit from member m
    order by m.group_id, m.is_fit desc, m.can_send desc, m.is_resting and m.rank > 1, m.rank
  )
  select g.group_id, coalesce(c.account_id, (select d.account_id from account d where d.is_default)), coalesce(c.is_fit, false)
  from unnest(of_groups) g (group_id) left join choice c on c.group_id = g.group_id
$$;
