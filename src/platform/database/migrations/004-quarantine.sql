-- Poison message: what made a batch fail is left out of it and tried again alone, and nobody else waits for it
-- (docs/explanation/decisions/0071-isolate-what-makes-a-batch-fail.md).
--
-- Locks: accounts, workspaces and users in SHARE ROW EXCLUSIVE mode, to be referred to; the tables are new and empty, so each takes some
-- milliseconds.

create table quarantine (
  batch        text        not null,                -- the batch that it is left out of: src/database/quarantine.ts
  account_id   bigint      references accounts on delete cascade,    -- whose it is, as the batch goes: an account ...
  workspace_id bigint      references workspaces on delete cascade,  -- ... a workspace ...
  user_id      bigint      references users on delete cascade,       -- ... or a user
  reason       text        not null,                -- the error of the last try, for the operator
  failures     int         not null default 1,      -- tries that failed, alone or in the batch
  since        timestamptz not null default campanile_now(),
  next_try_at  timestamptz not null,                -- not touched before; tried alone then
  constraint quarantine_owner check (num_nonnulls(account_id, workspace_id, user_id) = 1),
  constraint quarantine_key unique nulls not distinct (batch, account_id, workspace_id, user_id)
);
-- For the end of those that they refer to.
create index quarantine_account on quarantine (account_id) where account_id is not null;
create index quarantine_workspace on quarantine (workspace_id) where workspace_id is not null;
create index quarantine_user on quarantine (user_id) where user_id is not null;

-- What keeps a process from being ready, for `campanile doctor`, which is a process of its own. A process writes its problems while it
-- has any; one that has ended in the meantime leaves rows that are no longer renewed.
create table health_problems (
  process text        not null,                     -- host:pid
  name    text        not null,                     -- "loop lanes"
  message text        not null,
  since   timestamptz not null,
  seen_at timestamptz not null default campanile_now(),
  primary key (process, name)
);
