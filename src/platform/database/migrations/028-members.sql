-- Members, their roles, and invitations (docs/explanation/decisions/0105-act-as-a-member-with-a-role.md).
--
-- Locks: memberships, api_keys, mails, workspaces, accounts and notices exclusively, for milliseconds: nullable columns and constant defaults
-- write no row, and the checks read tables of a few rows a user. audit_log in SHARE mode while its indexes are built, some 2 s for each
-- million rows, and then as the others.

alter table memberships drop constraint memberships_role_check;
alter table memberships
  add constraint memberships_role_check check (role in ('analyst', 'author', 'manager', 'owner')),
  add column joined_at timestamptz not null default campanile_now();
update memberships m set joined_at = w.created_at from workspaces w where w.workspace_id = m.workspace_id;
-- A person has several. A workspace still has one owner: memberships_owner.
drop index memberships_user;
create index memberships_user on memberships (user_id);

alter table workspaces add column name text;  -- null: the user name of its owner stands for it

-- A key acts with the lower of its role and the present one of its maker.
alter table api_keys
  add column role text not null default 'owner' check (role in ('analyst', 'author', 'manager', 'owner'));
alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_check
  check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'send', 'webhooks', 'admin']);

-- Null: the number in the profile of the owner. Written when a linked account gets another owner.
alter table accounts
  add column whatsapp_number text,
  add column whatsapp_digits text,
  add constraint accounts_whatsapp_number check ((whatsapp_number is null) = (whatsapp_digits is null));

create table invitations (
  invitation_id bigint      generated always as identity primary key,
  workspace_id  bigint      not null references workspaces on delete cascade,
  role          text        not null check (role in ('analyst', 'author', 'manager')),
  email         text,                          -- whom the inviter means; null: a link for anybody
  mail_id       uuid        unique,            -- of the mail with the code; no foreign key: a mail that cannot be sent is deleted
  token_hash    bytea       unique,            -- sha256 of the token of a link, which is random enough for that
  invited_by    bigint      not null,          -- a user; no foreign key: people come and go
  created_at    timestamptz not null default campanile_now(),
  expires_at    timestamptz not null,
  constraint invitations_secret check ((mail_id is null) <> (token_hash is null)),
  constraint invitations_token check (octet_length(token_hash) = 32)
);
create index invitations_workspace on invitations (workspace_id);
create index invitations_expired on invitations (expires_at);

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in
  ('verification', 'reset', 'invitation', 'workspace_invitation', 'new_sign_in', 'password_changed', 'factors_changed', 'notice'));

alter table notices add column workspace_id bigint;  -- of the event; null: made before a person could have several
create index audit_log_user on audit_log (user_id);  -- for the erasure of a member in workspaces of others
create index audit_log_person on audit_log (user_id, at, entry_id) where action like 'user.%';  -- for a person's own list
alter table audit_log
  add column given_role text,   -- of entries about members and invitations
  add column former_role text;
