-- What programs keep with groups, group lists and accounts, as with campaigns.
-- Locks: groups, group_lists and accounts exclusively, for milliseconds: a column with a constant default writes no row. The indexes read each
-- table once and have no row of it, some 1 s for each million.

alter table groups
  add column external_id text,
  add column metadata    jsonb not null default '{}';
alter table group_lists
  add column external_id text,
  add column metadata    jsonb not null default '{}';
alter table accounts
  add column external_id text,
  add column metadata    jsonb not null default '{}';

create unique index groups_external_id on groups (workspace_id, external_id) where external_id is not null;
create unique index group_lists_external_id on group_lists (workspace_id, external_id) where external_id is not null;
create unique index accounts_external_id on accounts (workspace_id, external_id) where external_id is not null and removed_at is null;
