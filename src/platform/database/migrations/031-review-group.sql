-- Approval in a review group (docs/explanation/decisions/0108-approve-in-a-review-group.md).
-- Locks: workspaces, memberships and approval_entries exclusively, for milliseconds: nullable columns and a constant default write no row,
-- and the check and the index read a row a member; approvals in SHARE ROW EXCLUSIVE mode, for the new foreign key.

-- Posts that wait for an approval go there; null: nowhere. No foreign key: groups come and go.
alter table workspaces add column review_group_id bigint;
-- Digits, as the owner lists them: a 👍 from there is this member's; null: the member decides in the dashboard alone.
alter table memberships add column review_number text check (review_number ~ '^[0-9]{7,15}$');
create unique index memberships_review_number on memberships (workspace_id, review_number) where review_number is not null;
alter table approval_entries add column on_phone boolean not null default false;  -- an answer in the review group

-- What the review group was shown.
create table approval_reviews (
  workspace_id bigint      not null,
  approval_id  uuid        not null,
  version      int         not null,
  hash         bytea       not null check (octet_length(hash) = 32),  -- of the post that the group sees
  account_id   bigint      not null,
  campaign_id  bigint      not null unique,       -- the post in the group; no foreign key: campaigns are compacted and deleted
  created_at   timestamptz not null default campanile_now(),
  primary key (workspace_id, approval_id, version),
  foreign key (workspace_id, approval_id) references approvals on delete cascade
);
create index approval_reviews_account on approval_reviews (account_id);

-- Answers to them that nobody has acted upon yet.
create table review_answers (
  answer_id    bigint      generated always as identity primary key,
  workspace_id bigint      not null,
  approval_id  uuid        not null,
  version      int         not null,
  account_id   bigint      not null,
  participant  text        not null,              -- as the messenger names the person
  number       text,                              -- theirs, digits; null: not known yet
  remark       text,                              -- of a reply; null: a 👍
  at           timestamptz not null default campanile_now(),
  foreign key (workspace_id, approval_id, version) references approval_reviews on delete cascade
);
create unique index review_answers_once on review_answers (workspace_id, approval_id, version, participant, (remark is null));
create index review_answers_due on review_answers (answer_id) where number is not null;
create index review_answers_unknown on review_answers (account_id, participant) where number is null;
