-- Keeps the activity of each group (docs/explanation/decisions/0088-keep-the-activity-of-each-group.md). Nothing is filled here: the worker
-- adds the runs of the last 90 days in pieces, and until then `list-groups` reads their deliveries.
--
-- Locks: runs exclusively, while the constraint reads its rows once and the indexes are built: some 2 s for each million runs.

alter table runs
  add column in_activity int not null default 0,  -- how many of its deliveries, from the first on, are in group_activity
  add constraint runs_in_activity check (in_activity between 0 and summed);
create index runs_activity on runs (started_at, account_id) where in_activity > 0;
create index runs_outside_activity on runs (started_at) where in_activity < summed;

-- What the posts of the last 90 days came to, by group: those up to runs.in_activity. A group without posts has no row.
create table group_activity (
  account_id   bigint not null,
  group_id     bigint not null,
  last_sent_at timestamptz,
  recipients   bigint not null default 0,
  read         bigint not null default 0,       -- of a channel its views
  posts        int    not null default 0,
  failed       int    not null default 0,
  primary key (account_id, group_id)
) with (fillfactor = 80);

-- The order of names: digits count as numbers, so "Street 2" precedes "Street 10".
create collation natural_order (provider = icu, locale = 'en-u-kn-true');
