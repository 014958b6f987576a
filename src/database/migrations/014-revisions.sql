-- Recalls and corrections of what was sent (docs/explanation/decisions/0017-carry-revisions-through-the-lane.md).

create type revision_kind as enum ('recall', 'correct');

-- What is to be done, or was done, about a delivery that has left: one row for each such delivery, and none for all others.
create table revisions (
  account_id   bigint        not null,
  run_id       bigint        not null,
  position     int           not null,
  wanted       revision_kind,                  -- null: nothing more is to be done
  number       bigint        not null,         -- of the request that wanted it; a later one for the same delivery replaces it
  content_id   bigint,                         -- of a correction: what the post shall say
  not_before   timestamptz,                    -- set: was tried, and waits for another try
  attempts     smallint      not null default 0,
  corrected_at timestamptz,
  recalled_at  timestamptz,
  error        text,                           -- why the last request came to nothing
  primary key (account_id, run_id, position)
) with (fillfactor = 80);
create index revisions_wanted on revisions (account_id, number, position) where wanted is not null;
create sequence revision_numbers;

-- In the sandbox a recalled post stays as a husk that no member sees, so that a late repeat of it is still dropped.
alter table sandbox_messages add recalled_at timestamptz;
