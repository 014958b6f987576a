-- Who wrote a draft that was deleted: its text may still become a request for approval
-- (docs/explanation/decisions/0106-approve-a-post-by-its-hash.md).
-- Locks: none: a new table, which nobody uses yet.

create table deleted_drafts (
  workspace_id bigint      not null references workspaces on delete cascade,
  draft_id     uuid        not null,
  text_hash    bytea       check (octet_length(text_hash) = 32),  -- sha256 of its text; null: it had none
  written_by   bigint[]    not null,                              -- as of the draft
  deleted_at   timestamptz not null default campanile_now(),
  primary key (workspace_id, draft_id)
);
