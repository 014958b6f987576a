-- Single tokens that were signed out, and how accounts stood before.

-- Tokens of the dashboard that were signed out before their time was up. What has expired is refused anyway, and its row goes.
create table signed_out_tokens (
  user_id    bigint      not null references users on delete cascade,
  token_id   text        not null,
  expires_at timestamptz not null,
  primary key (user_id, token_id)
);
create index signed_out_tokens_expired on signed_out_tokens (expires_at);

-- How an account stood, from when on: a row each time its state, or the reason for it, became another. Kept for 90 days.
create table account_states (
  state_id   bigint generated always as identity primary key,
  account_id bigint         not null references accounts on delete cascade,
  at         timestamptz    not null default campanile_now(),
  messenger  text           not null,
  status     account_status not null,
  reason     text
);
create index account_states_account on account_states (account_id, state_id);
create index account_states_age on account_states (at);

-- By a trigger: several statements change how an account stands, and none may be left out.
create function note_account_state() returns trigger language plpgsql as $$
begin
  insert into account_states (account_id, messenger, status, reason)
  values (new.account_id, new.messenger, new.status, new.status_reason);
  return null;
end $$;
create trigger account_begins after insert on accounts for each row execute function note_account_state();
create trigger account_changes after update on accounts for each row
  when ((old.messenger, old.status, old.status_reason) is distinct from (new.messenger, new.status, new.status_reason))
  execute function note_account_state();
