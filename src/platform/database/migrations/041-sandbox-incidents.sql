-- Bans, demotions and removals on the sandbox (docs/reference/contract.md, section 6).
--
-- Locks: sandbox_accounts and sandbox_chats exclusively, for a moment: constant defaults write no row.
alter table sandbox_accounts add column is_banned boolean not null default false;
alter table sandbox_chats
  add column demoted_accounts bigint[] not null default '{}',  -- members that are no admins, while only admins post
  add column removed_accounts bigint[] not null default '{}';  -- not members, unlike the other accounts of the workspace
