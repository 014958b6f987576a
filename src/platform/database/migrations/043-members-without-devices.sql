-- Members whom a sent post left out, since the messaging application tells no device of theirs.
-- Locks: none for longer than its commit.
create table members_without_devices (
  workspace_id bigint not null,
  run_id       bigint not null,
  position     int    not null,
  members      int    not null,
  primary key (workspace_id, run_id, position),
  foreign key (workspace_id, run_id) references runs on delete cascade
);
