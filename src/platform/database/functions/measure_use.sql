-- Returns what a workspace uses of its quotas, and the messenger of its default account; no row if the workspace is gone. It counts up to
-- `most` open campaigns, by index entries alone. plpgsql plans it once a session.
create or replace function measure_use(of_workspace bigint, most int)
  returns table (stored_bytes bigint, messenger text, open_campaigns int, groups_today int) language plpgsql stable as $$
begin
  return query
    select w.stored_bytes, a.messenger,
           (select count(*)::int from (
              select from campaigns c
              where c.workspace_id = w.workspace_id and coalesce(c.deleted_at, c.finished_at, 'infinity'::timestamptz) = 'infinity'
              limit most) o),
           (select c.created from count_created(a.account_id) c)
    from workspaces w join accounts a on a.workspace_id = w.workspace_id and a.is_default where w.workspace_id = of_workspace;
end $$;
