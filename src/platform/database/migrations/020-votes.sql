-- Votes on polls and answers to events (docs/explanation/decisions/0095-count-votes-as-rows.md).
--
-- Locks: sandbox_messages exclusively, for milliseconds, since a column without a default writes no row.

-- The newest vote of each member on each post. It is removed with the receipts of its run; what it comes to stays in the two tables below.
create table votes (
  account_id  bigint      not null,
  run_id      bigint      not null,
  participant bigint      not null,               -- as in receipts
  voted_ms    bigint      not null,               -- by the voter's own clock, in ms since 1970: the newest counts
  at          timestamptz not null,               -- when the messaging application received it
  position    int         not null,
  choices     smallint,                           -- a bit for each option, the first is 1; 0: taken back; null: could not be opened
  voter       text,                               -- who it is, only if the poll names its voters
  primary key (account_id, run_id, position, participant),
  constraint votes_choices check (choices between 0 and 4095)
) with (fillfactor = 90);

-- What the votes of a run come to in a group: voters, votes that could not be opened, then the votes of each of 12 options.
create table poll_results (
  account_id bigint not null,
  run_id     bigint not null,
  group_id   bigint not null,
  counts     int[]  not null,
  primary key (account_id, run_id, group_id),
  constraint poll_results_counts check (cardinality(counts) = 14 and 0 <= all (counts))
) with (fillfactor = 80);

-- The same by the hour in which the votes were received, the newest of each member.
create table poll_hours (
  account_id bigint      not null,
  run_id     bigint      not null,
  at         timestamptz not null,
  counts     int[]       not null,
  primary key (account_id, run_id, at),
  constraint poll_hours_counts check (cardinality(counts) = 14 and 0 <= all (counts))
) with (fillfactor = 80);

create trigger vote_events_first after insert on poll_results referencing new table as new_rows
  for each statement execute function emit_vote_events();
create trigger vote_events after update on poll_results referencing new table as new_rows
  for each statement execute function emit_vote_events();

alter table sandbox_messages add column ballot jsonb;  -- the poll or event in the post; null: none
