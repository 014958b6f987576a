-- An account whose owner an administrator has disabled: a state of its own, beside a quarantine. Before, it was a sentence in stop_reason.
--
-- Locks: accounts exclusively, for milliseconds: a nullable column writes no row, and few accounts belong to disabled users.

drop trigger account_events on accounts;
alter table accounts add column disabled_at timestamptz;  -- set: its owner is disabled since then, and nothing is sent until the owner is enabled
create index accounts_disabled on accounts (workspace_id) where disabled_at is not null;

update accounts a
set disabled_at = u.disabled_at,
    stop_reason = case when a.stop_reason not like '%an administrator disabled this user%' then a.stop_reason end
from workspaces w
join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
join users u on u.user_id = o.user_id
where w.workspace_id = a.workspace_id and a.removed_at is null and u.disabled_at is not null;
update lanes l set held_until = 'infinity' from accounts a where a.account_id = l.account_id and a.disabled_at is not null;

create trigger account_events after update on accounts for each row
  when ((old.status, old.status_reason, old.pause_cause, old.stop_reason, old.warned_until, old.disabled_at)
        is distinct from (new.status, new.status_reason, new.pause_cause, new.stop_reason, new.warned_until, new.disabled_at))
  execute function emit_account_event();
