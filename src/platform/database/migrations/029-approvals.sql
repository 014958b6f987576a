-- Approval of posts (docs/explanation/decisions/0106-approve-a-post-by-its-hash.md).
-- Locks: workspaces exclusively, for milliseconds: constant defaults write no row, and the check of a small table is quick; events in
-- SHARE mode while their index is built, some 1 s for each million.

alter table workspaces
  -- never: managers send, nobody asks. authors: authors may ask. all: managers ask as well, for posts to more than so many groups.
  add column approval text not null default 'never' check (approval in ('never', 'authors', 'all')),
  add column approval_over_groups int not null default 0 check (approval_over_groups between 0 and 10000),
  add column approvers_needed int not null default 1 check (approvers_needed in (1, 2));

-- A post for which an approval was asked.
create table approvals (
  workspace_id bigint      not null references workspaces on delete cascade,
  approval_id  uuid        not null,              -- drawn by whoever asks
  state        text        not null default 'waiting'
                           check (state in ('waiting', 'changes_requested', 'rejected', 'withdrawn', 'accepted')),
  version      int         not null default 1,    -- rises with each change of the post
  hash         bytea       not null check (octet_length(hash) = 32),  -- sha256 of `post` in its canonical form
  post         jsonb       not null,              -- content, groups and plan, as they are accepted
  judged       jsonb,                             -- the version before that was decided on last; null: none
  media_ids    bigint[]    not null,              -- the files of `post`; no foreign key: those of a closed approval may go
  first_due_at timestamptz,                       -- of its plan; null: it is sent when it is approved
  asked_by     bigint      not null,              -- a user: who asked for this version; no foreign key: people come and go
  asked_at     timestamptz not null default campanile_now(),
  updated_at   timestamptz not null default campanile_now(),
  campaign_id  uuid,                              -- the public id of the campaign that it was accepted as
  primary key (workspace_id, approval_id),
  constraint approvals_accepted check ((state = 'accepted') = (campaign_id is not null))
);
create index approvals_closed on approvals (updated_at) where state in ('rejected', 'withdrawn', 'accepted');

-- Requests, decisions and remarks, in their order.
create table approval_entries (
  entry_id     bigint      generated always as identity primary key,
  workspace_id bigint      not null,
  approval_id  uuid        not null,
  version      int         not null,              -- of the post that it is about
  user_id      bigint      not null,              -- no foreign key: people come and go
  kind         text        not null
                           check (kind in ('asked', 'approved', 'changes_requested', 'rejected', 'withdrawn', 'remark')),
  remark       text        not null default '',
  at           timestamptz not null default campanile_now(),
  foreign key (workspace_id, approval_id) references approvals on delete cascade
);
create index approval_entries_approval on approval_entries (workspace_id, approval_id, entry_id);

-- As src/notifications/notices/kinds.ts has it.
drop index events_noticed;
create index events_noticed on events (position)
  where type in ('campaign.completed', 'campaign.completed_with_errors', 'campaign.late', 'campaign.missed', 'campaign.rescheduled',
                 'campaign.paused', 'campaign.waiting', 'campaign.decided', 'account.logged_out', 'account.version_refused',
                 'webhook.switched_off', 'backup.too_old');
