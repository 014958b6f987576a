-- Schedules by recurrence rules, which may go on without an end: their runs are planned up to an instant that moves on. And links by which
-- calendar programs read the plan.
-- Locks: campaigns and runs exclusively, for milliseconds: columns without a default write no row. Workspaces and group_lists for the foreign
-- keys, for a moment. The index reads all campaigns once and has none of
-- them, some 1 s for each million.

alter table campaigns
  add column recurrence    text,          -- RFC 5545: a rule, and lines of RDATE and EXDATE; null: every day
  add column planned_until timestamptz;   -- its occurrences up to then have runs, the others count as one in open_runs; null: all have

create index campaigns_planned_until on campaigns (planned_until) where planned_until is not null and finished_at is null and deleted_at is null;

alter table runs add column rescheduled_at timestamptz;  -- when its due time last changed; null: never

-- Whoever has the token of one reads the plan of the workspace, until it is revoked.
create table calendar_links (
  calendar_link_id bigint      generated always as identity primary key,
  workspace_id     bigint      not null references workspaces on delete cascade,
  token_hash       bytea       not null unique,                                     -- sha256; the token itself is nowhere stored
  group_list_id    bigint      references group_lists on delete cascade,            -- only runs to a group of it; null: all
  created_by       bigint      not null,                                            -- a user
  created_at       timestamptz not null default campanile_now(),
  constraint calendar_links_token check (octet_length(token_hash) = 32)
);
create index calendar_links_workspace on calendar_links (workspace_id);
create index calendar_links_person on calendar_links (created_by);
create index calendar_links_list on calendar_links (group_list_id) where group_list_id is not null;
