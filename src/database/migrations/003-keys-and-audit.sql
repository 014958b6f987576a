-- API keys, the audit log, and users who have deleted their account.

-- A deleted user stays for a short while as a husk without logins and personal data, so that what is under way finds its foreign
-- keys; src/erasure/ removes what belonged to it.
alter table users add deleted_at timestamptz;  -- refused from then on
alter table users add erased_at  timestamptz;  -- everything of theirs is gone but the husk
create index users_deleted on users (deleted_at) where deleted_at is not null;

create table api_keys (
  api_key_id   bigint generated always as identity primary key,
  user_id      bigint      not null references users on delete cascade,
  name         text        not null,
  scopes       text[]      not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'send']),
  prefix       text        not null,           -- how the key begins: what its owner knows it by
  hash         bytea       not null unique,    -- sha256 of the key, which is random enough for that; the key itself is not kept
  created_at   timestamptz not null default campanile_now(),
  expires_at   timestamptz,                    -- null: never
  last_used_at timestamptz                     -- to the minute
) with (fillfactor = 80);
create index api_keys_user on api_keys (user_id, api_key_id);

-- What was done in a user's name, written in the transaction that did it. Entries are kept for a year.
create table audit_log (
  entry_id   bigint generated always as identity primary key,
  user_id    bigint      not null references users on delete cascade,
  at         timestamptz not null default campanile_now(),
  action     text        not null,             -- campaign.accepted
  subject    text        not null,             -- what it was done to: a campaign's id, a key's name
  address    text        not null,             -- where the request came from
  api_key_id bigint                            -- what it came with, unless a token; no foreign key: keys come and go
);
create index audit_log_user on audit_log (user_id, at, entry_id);
create index audit_log_age on audit_log (at);
