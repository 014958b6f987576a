-- What a workspace knows about each of its groups, for posts that say it: the fields, the values of groups, and the values that each delivery
-- was given.
-- Locks: workspaces and groups against changes of their rows, for milliseconds: the new tables refer to them. contents exclusively, for
-- milliseconds: a column without a default writes no row.

create table fields (
  field_id     bigint   generated always as identity primary key,
  workspace_id bigint   not null references workspaces on delete cascade,
  name         text     not null,
  folded_name  text     not null, -- what tells two names apart
  kind         text     not null check (kind in ('text', 'number', 'date', 'link', 'language')),
  position     smallint not null,
  unique (workspace_id, folded_name) deferrable
);

create table group_values (
  group_id     bigint primary key references groups on delete cascade,
  workspace_id bigint not null references workspaces on delete cascade,
  field_values jsonb  not null -- {field_id: text}; no empty ones
);
create index group_values_workspace on group_values (workspace_id);

create table delivery_values (
  workspace_id bigint not null,
  run_id       bigint not null,
  position     int    not null,
  field_values jsonb  not null, -- {folded name: text}; null where the group had none. Those that the post has, and no others
  primary key (workspace_id, run_id, position)
);

alter table contents add column template jsonb; -- the text before its fields are filled, and what they are; null: the post has no fields
