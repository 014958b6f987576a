-- Returns which account sends to each of these groups of a workspace. The first account wins that is a member, may post there and can send
-- now; `passed` is left out. If nobody can send now, the first wins that may post there. In order: the wanted one, those that are set for the group, for a list
-- with it, for the workspace, the default account, the others. A group without any member gets the default account.
create or replace function choose_senders(of_workspace bigint, of_groups bigint[], wanted bigint default null, passed bigint default null)
  returns table (group_id bigint, account_id bigint) language sql stable as $$
  with account as materialized (
    select a.account_id, a.is_default, a.down_since is not null or coalesce(a.account_id = passed, false) as is_out
    from accounts a
    where a.workspace_id = of_workspace and a.removed_at is null
  ), rule as materialized (
    select s.group_id, s.group_list_id, s.account_ids, s.set_at from senders s
    where s.workspace_id = of_workspace and s.replaced_at is null
  ), listed as materialized (
    select distinct on (i.group_id) i.group_id, r.account_ids
    from rule r join group_lists l on l.group_list_id = r.group_list_id cross join unnest(l.group_ids) i (group_id)
    where i.group_id = any(of_groups)
    order by i.group_id, r.set_at desc
  ), choice as (
    select distinct on (m.group_id) m.group_id, a.account_id
    from group_accounts m
    join account a on a.account_id = m.account_id
    left join rule r on r.group_id = m.group_id
    left join listed l on l.group_id = m.group_id
    left join rule w on w.group_id is null and w.group_list_id is null
    where m.group_id = any(of_groups) and m.gone_at is null
    order by m.group_id, m.can_send and not a.is_out desc, m.can_send desc, a.account_id = wanted desc nulls last,
             array_position(r.account_ids, a.account_id), array_position(l.account_ids, a.account_id),
             array_position(w.account_ids, a.account_id), a.is_default desc, a.account_id
  )
  select g.group_id, coalesce(c.account_id, (select d.account_id from account d where d.is_default))
  from unnest(of_groups) g (group_id) left join choice c on c.group_id = g.group_id
$$;
