-- Mentions of everybody, pinned posts, and posts that quote an earlier one (docs/explanation/decisions/0096-reach-people.md).
--
-- Locks: accounts, runs and sandbox_messages exclusively, for milliseconds: columns without a default, or with a constant one, write no
-- row. The constraint of accounts reads its rows once.

alter table accounts
  add column mention_all_cap smallint not null default 1,  -- how often a day all members of one group may be mentioned; 0: never
  add constraint accounts_mention_all_cap check (mention_all_cap between 0 and 10);

alter table runs
  add column pin_seconds  int,                             -- its posts are pinned for so long once they are sent; null: they are not
  add column reply_run_id bigint;                          -- its posts quote those of this earlier run, in the same groups

-- Whether a delivery of a post that mentions everybody does so: decided before its first attempt, and the same in each.
create table everyone_mentions (
  account_id bigint not null,
  run_id     bigint not null,
  position   int    not null,
  group_id   bigint not null,
  day        date   not null,                              -- of the owner's zone, when it was decided
  left_out   text,                                         -- why the post leaves without the mention; null: it has it
  primary key (account_id, run_id, position),
  foreign key (account_id, run_id) references runs on delete cascade
);
create index everyone_mentions_of_day on everyone_mentions (account_id, group_id, day) where left_out is null;

-- What is to be done, or was done, about the pin of a post that was sent. A request for the same post replaces the one before.
create table pins (
  account_id   bigint      not null,
  run_id       bigint      not null,
  position     int         not null,
  group_id     bigint      not null,
  wanted       text,                                       -- pin, unpin; null: nothing more is to be done
  number       bigint      not null,                       -- of the request that wanted it, as in revisions
  seconds      int,                                        -- how long it is to stay pinned
  sent_at      timestamptz,                                -- of the delivery: the newest go first
  requested_at timestamptz not null default campanile_now(),
  not_before   timestamptz,                                -- set: was tried, and waits for another try
  attempts     smallint    not null default 0,
  pinned_at    timestamptz,
  pinned_until timestamptz,                                -- set: it was pinned, and was not unpinned since
  error        text,                                       -- why the last request came to nothing
  primary key (account_id, run_id, position),
  foreign key (account_id, run_id) references runs on delete cascade,
  constraint pins_wanted_known check (wanted in ('pin', 'unpin'))
) with (fillfactor = 80);
create index pins_wanted on pins (account_id, number, position) where wanted is not null;
create index pins_newest on pins (account_id, sent_at desc nulls last) where wanted is not null and not_before is null;
create index pins_waiting on pins (account_id, not_before) where not_before is not null;

alter table sandbox_messages
  add column mentions_all      boolean not null default false,
  add column quoted_message_id text,
  add column pinned_until      timestamptz;
