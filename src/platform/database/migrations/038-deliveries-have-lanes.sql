-- A delivery waits for an account that has a lane: a removed account sends nothing. New deliveries are those of an account that is read under
-- the lock of the ledger, so their insertion is not checked.
-- Locks: writes to deliveries and lanes wait for milliseconds. Deliveries that wait for a removed account get the default account; it then reads
-- those of the runs that are under way in such workspaces.

update deliveries d
set account_id = a.account_id,
    message_id = '3EB0' || upper(left(encode(sha256(convert_to(
      c.public_id || '/' || d.run_id || '/' || d.group_id || coalesce('/' || nullif(a.account_id, k.legacy_account_id), ''), 'UTF8')), 'hex'), 18))
from runs r
join campaigns c on c.campaign_id = r.campaign_id
join workspace_ledgers k on k.workspace_id = r.workspace_id
join accounts a on a.workspace_id = r.workspace_id and a.is_default
where exists (select from accounts o where o.workspace_id = r.workspace_id and o.removed_at is not null) and r.status = 'running'
  and d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.status = 'queued' and not d.uncertain
  and not exists (select from lanes l where l.account_id = d.account_id);

create constraint trigger deliveries_lane after update of status, account_id on deliveries deferrable initially deferred for each row
  when (new.status = 'queued' and (old.status <> 'queued' or old.account_id <> new.account_id))
  execute function require_lane();
create trigger lanes_waiting before delete on lanes for each row execute function require_nothing_waiting();

-- What was wanted of posts whose account was removed before would never be carried out.
update revisions v set wanted = null, not_before = null, error = 'The account that sent this post was removed'
where v.wanted is not null and not exists (select from lanes l where l.account_id = v.account_id);
update pins p set wanted = null, not_before = null, error = 'The account that sent this post was removed'
where p.wanted is not null and not exists (select from lanes l where l.account_id = p.account_id);
