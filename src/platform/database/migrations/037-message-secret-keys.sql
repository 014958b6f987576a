-- Each number of a workspace decrypts what members encrypt about the posts of all of them
-- (docs/explanation/decisions/0114-derive-message-secrets-from-a-key-of-the-workspace.md).
--
-- Locks: whatsapp_sent exclusively, for milliseconds: a constant default writes no row.

create table message_secret_keys (
  workspace_id bigint primary key references workspaces on delete cascade,
  sealed       bytea  not null                   -- 32 bytes, sealed with ENCRYPTION_KEY
);

-- The numbers that a workspace has sent from: in the keys of what members encrypt. They outlive their accounts, as posts do.
create table whatsapp_numbers (
  workspace_id bigint not null references workspaces on delete cascade,
  number       text   not null,                  -- digits
  lid          text,                             -- digits; null: not known yet
  primary key (workspace_id, number)
);

-- Its secret derives from the key of the link: it left before this migration, or edits a message that did.
alter table whatsapp_sent add column has_link_secret boolean not null default true;
