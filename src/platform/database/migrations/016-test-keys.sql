-- Test keys (docs/explanation/decisions/0090-give-each-workspace-a-test-workspace.md). A test workspace has no member: its owner is the
-- owner of the workspace that it belongs to.
-- Locks: workspaces and api_keys exclusively, for some milliseconds: their new columns need no rewrite. The index reads workspaces once.
alter table workspaces add column test_of bigint references workspaces on delete cascade;  -- the workspace whose test keys act on it
create unique index workspaces_test on workspaces (test_of) where test_of is not null;
alter table api_keys add column is_test boolean not null default false;  -- acts on the test workspace of workspace_id
