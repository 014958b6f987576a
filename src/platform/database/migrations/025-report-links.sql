-- Links to reports, which anyone who has one may read (docs/explanation/decisions/0101-share-a-report-by-an-expiring-link.md).
-- Locks: none but those of the new table, and workspaces for the foreign key, for a moment.

create table report_links (
  report_link_id bigint      generated always as identity primary key,
  workspace_id   bigint      not null references workspaces on delete cascade,
  token_hash     bytea       not null unique,      -- sha256; the token itself is nowhere stored
  created_at     timestamptz not null default campanile_now(),
  expires_at     timestamptz not null,
  start_date     date        not null,
  end_date       date        not null,
  time_zone      text        not null,             -- IANA: of the user who created it, then
  campaign_id    bigint,                           -- null: all campaigns
  group_list_name text,                            -- of the list, as it was then
  group_ids      bigint[],                         -- null: all groups
  constraint report_links_token check (octet_length(token_hash) = 32),
  constraint report_links_list check ((group_ids is null) = (group_list_name is null))
);
create index report_links_workspace on report_links (workspace_id);
create index report_links_expired on report_links (expires_at);
