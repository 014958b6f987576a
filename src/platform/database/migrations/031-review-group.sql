-- Approval in a review group (docs/explanation/decisions/0108-approve-in-a-review-group.md).
-- Locks: workspaces, memberships and approval_entries exclusively, for milliseconds: nullable columns and a constant default write no row,
-- and the check and the index read a row a member; campaigns in SHARE ROW EXCLUSIVE mode, as long, for a new foreign key.

-- Posts that wait for an approval go there; null: nowhere. No foreign key: groups come and go.
alter table workspaces add column review_group_id bigint;
-- Digits, as the owner lists them: a 👍 from there is this member's; null: the member decides in the dashboard alone.
alter table memberships add column review_number text check (review_number ~ '^[0-9]{7,15}$');
create unique index memberships_review_number on memberships (workspace_id, review_number) where review_number is not null;
alter table approval_entries add column on_phone boolean not null default false;  -- an answer in the review group

-- The posts of campaigns that show a request to the review group. They outlive it, since they name the person who asked.
create table approval_reviews (
  campaign_id  bigint      primary key references campaigns on delete cascade,
  account_id   bigint      not null,
  workspace_id bigint      not null,
  approval_id  uuid        not null,              -- no foreign key: closed requests go first
  version      int         not null,
  hash         bytea       not null check (octet_length(hash) = 32),  -- of the post that the group sees
  asked_by     bigint      not null,              -- a user; no foreign key: people come and go
  created_at   timestamptz not null default campanile_now()
);
create index approval_reviews_approval on approval_reviews (workspace_id, approval_id);
create index approval_reviews_account on approval_reviews (account_id);
create index approval_reviews_person on approval_reviews (asked_by);

-- Answers to them that nobody has acted upon yet.
create table review_answers (
  answer_id   bigint      generated always as identity primary key,
  campaign_id bigint      not null references approval_reviews on delete cascade,
  account_id  bigint      not null,
  participant text        not null,              -- as the messenger names the person
  number      text,                              -- theirs, digits; null: not known yet
  remark      text,                              -- of a reply; null: a 👍
  at          timestamptz not null default campanile_now()
);
create unique index review_answers_once on review_answers (campaign_id, participant, (remark is null));
create index review_answers_due on review_answers (answer_id) where number is not null;
create index review_answers_unknown on review_answers (account_id, participant) where number is null;
