-- Saved lists of groups, and what the overview over all campaigns is read by.

create table group_lists (
  group_list_id bigint      generated always as identity primary key,
  account_id    bigint      not null references accounts on delete cascade,
  name          text        not null,
  group_ids     bigint[]    not null,          -- in the order given, without repeats; kept also while a group is gone
  created_at    timestamptz not null default campanile_now()
);
alter table group_lists alter column group_ids set storage external;
create index group_lists_account on group_lists (account_id);

-- The runs of an account that began in a span of days.
create index runs_started on runs (account_id, started_at) where started_at is not null;
