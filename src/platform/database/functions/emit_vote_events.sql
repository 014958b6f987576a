-- Trigger function of poll_results, once a statement. If a webhook subscribes to them, it emits events with the sums of the groups whose
-- votes have changed, up to 100 groups in one event. The first check ends nearly every call.
create or replace function emit_vote_events() returns trigger language plpgsql as $$
begin
  if not exists (
    select from (select distinct workspace_id from new_rows) n
    join webhooks w on w.workspace_id = n.workspace_id
    where w.events && array['*', 'poll.*', 'poll.vote']) then return null; end if;

  insert into events (workspace_id, type, data)
  select workspace_id, 'poll.vote', jsonb_build_object('campaign_id', public_id, 'run_id', run_id, 'groups', jsonb_agg(item order by group_id))
  from (
    select n.workspace_id, c.public_id, n.run_id, n.group_id,
           jsonb_build_object('group_metadata_id', n.group_id, 'voters', n.counts[1], 'unreadable', n.counts[2],
                              'votes', to_jsonb(n.counts[3 : 2 + case when t.extras ? 'poll' then jsonb_array_length(t.extras #> '{poll,options}') else 3 end])) as item,
           (row_number() over (partition by n.workspace_id, n.run_id order by n.group_id) - 1) / 100 as part
    from new_rows n
    join runs r on r.workspace_id = n.workspace_id and r.run_id = n.run_id
    join contents t on t.content_id = r.content_id
    join campaigns c on c.campaign_id = r.campaign_id
  ) g
  group by workspace_id, public_id, run_id, part;
  return null;
end $$;
