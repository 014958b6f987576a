-- A warning of an account that goes on sending, and the link that ended and may be tried once more
-- (docs/explanation/decisions/0085-keep-an-ended-link-for-a-week.md).
--
-- Locks: accounts and account_sessions exclusively, for milliseconds, since columns without a default write no row.

alter table accounts
  add column warning      text,                       -- one sentence for its user
  add column warned_until timestamptz,                -- how long the warning holds
  add column retry_until  timestamptz;                -- with logged_out: until then its owner may try the ended link once more

alter table account_sessions add column ended_at timestamptz;  -- set: the link of these credentials has ended, and they are kept for a while

drop trigger account_events on accounts;
create trigger account_events after update on accounts for each row
  when ((old.status, old.status_reason, old.pause_cause, old.stop_reason, old.warned_until)
        is distinct from (new.status, new.status_reason, new.pause_cause, new.stop_reason, new.warned_until))
  execute function emit_account_event();
