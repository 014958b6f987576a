-- The ledger: who sends what to whom, when, and what became of it. PostgreSQL 15 or newer.
--
-- Rules that hold everywhere
--   1. The row in `lanes` is its account's master lock. Whatever changes what the account may send, or a delivery of it, locks
--      that row first (several accounts: in order of account_id). So nothing below can deadlock, and "lock, then look" is true.
--   2. Lock order: shards, lanes, then the account's runs, campaigns and deliveries.
--   3. Counters change by addition, in the transaction that changes what they count.
--   4. All instants come from campanile_now(). A test replaces that one function to move the clock.

create function campanile_now() returns timestamptz language sql stable parallel safe as 'select now()';

-- 256 shards: what is leased to workers. A take-over writes shards, not accounts.
create function campanile_shard(account_id bigint) returns smallint language sql immutable parallel safe
  as 'select (account_id & 255)::smallint';

-- ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table users (
  user_id              bigint generated always as identity primary key,
  first_name           text        not null,
  last_name            text        not null,
  user_name            text        not null,   -- these four exactly as they were sent; they are answered so
  email                text        not null,
  phone_number         text        not null,
  whatsapp_number      text        not null,
  whatsapp_digits      text        not null,   -- what is compared: digits only, without + or 00
  password_hash        text        not null,
  time_zone            text,                   -- IANA; null: the installation's TIME_ZONE
  token_generation     int         not null default 0,  -- tokens of an older generation are revoked ...
  kept_token_id        text,                   -- ... but for this one, which changed the password
  first_signed_in_at   timestamptz,
  created_at           timestamptz not null default campanile_now()
);

-- User names and e-mail addresses are one namespace, without regard to case: either signs in.
create table user_logins (
  login   text   primary key,                  -- lower case
  user_id bigint not null references users on delete cascade
);
create index user_logins_user on user_logins (user_id);

-- ── accounts and who serves them ────────────────────────────────────────────────────────────────────────────────────────────

create type account_status as enum ('unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out');

-- A user's link to a messaging application. One a user now; nothing else says so.
create table accounts (
  account_id       bigint generated always as identity primary key,
  user_id          bigint         not null references users on delete cascade,
  messenger        text           not null,
  status           account_status not null,
  groups_synced_at timestamptz,               -- null: the groups were never read from the messaging application
  created_at       timestamptz    not null default campanile_now()
);
create unique index accounts_user on accounts (user_id);

-- One heartbeat row per worker process. `steady_since` starts anew after a late beat: only a worker that has beaten without a
-- break for a whole lease may take from the silent, so that after an outage of the database nobody is robbed.
create table workers (
  worker_id    bigint generated always as identity primary key,
  name         text        not null,
  started_at   timestamptz not null default campanile_now(),
  beat_at      timestamptz not null default campanile_now(),
  steady_since timestamptz not null default campanile_now()
) with (fillfactor = 50);

create table shards (
  shard     smallint primary key,
  worker_id bigint,                            -- no foreign key: workers come and go
  epoch     int not null default 0             -- up by one with each change of owner
) with (fillfactor = 50);
insert into shards (shard) select generate_series(0, 255);

-- The busy half of an account: who may send, and when. Asleep when wake_at is null; parked while a turn is in hand.
create table lanes (
  account_id     bigint      primary key references accounts on delete cascade,
  shard          smallint    not null generated always as (campanile_shard(account_id)) stored,
  messenger      text        not null,
  wake_at        timestamptz,                  -- when to look at it next; null: nothing to send, or a turn is in hand
  next_send_at   timestamptz not null default '-infinity',  -- pacing: no send before
  held_until     timestamptz not null default '-infinity',  -- offline or asked to rest: no send before
  turn           bigint      not null default 0,            -- up by one with each claim, and when a turn is taken from its worker
  in_hand_run_id bigint,                       -- the turn in hand: this run ...
  in_hand        int4multirange,               -- ... and these positions of it
  check (in_hand_run_id is null or wake_at is null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index lanes_wake on lanes (shard, wake_at) where wake_at is not null;
create index lanes_in_hand on lanes (shard) where in_hand_run_id is not null;

create type command_status as enum ('queued', 'running', 'done', 'failed', 'abandoned');

-- What the API asks of a live session. Claimed by the worker that holds the account's shard, never begun twice.
create table account_commands (
  command_id  bigint generated always as identity primary key,
  account_id  bigint         not null references accounts on delete cascade,
  shard       smallint       not null generated always as (campanile_shard(account_id)) stored,
  kind        text           not null,
  input       jsonb          not null,
  status      command_status not null default 'queued',
  result      jsonb,
  worker_id   bigint,
  created_at  timestamptz    not null default campanile_now(),
  finished_at timestamptz
);
create index account_commands_queued on account_commands (shard, command_id) where status = 'queued';
create index account_commands_account on account_commands (account_id);

-- ── groups ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create type group_kind as enum ('group', 'community', 'channel');

-- Any chat one can post to. group_id is the wire's group_metadata_id.
create table groups (
  group_id      bigint generated always as identity primary key,
  account_id    bigint      not null references accounts on delete cascade,
  chat_id       text        not null,          -- <digits>@g.us or <digits>@newsletter
  send_to       text        not null,          -- where posts go: of a community its announcement group, else chat_id
  kind          group_kind  not null,
  name          text        not null,
  participants  int         not null,          -- with the account itself; of a channel its followers
  invite_link   text,
  can_send      boolean     not null,
  removed_at    timestamptz,                   -- no longer at the messaging application
  created_at    timestamptz not null default campanile_now(),
  unique (account_id, chat_id)
);

-- ── campaigns ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A media file as it was sent, once for each owner.
create table media (
  media_id bigint generated always as identity primary key,
  user_id  bigint not null references users on delete cascade,
  sha256   bytea  not null,
  mime     text   not null,
  bytes    bytea  not null,
  unique (user_id, sha256)
);
alter table media alter column bytes set storage external;  -- such files are compressed already

create type campaign_status as enum ('scheduled', 'running', 'paused', 'completed', 'completed_with_errors', 'cancelled');

create table campaigns (
  campaign_id         bigint generated always as identity primary key,
  public_id           uuid        not null unique default gen_random_uuid(),
  account_id          bigint      not null references accounts on delete cascade,
  name                text        not null,
  description         text        not null,
  is_channel_campaign boolean     not null,
  is_schedule         boolean     not null,
  schedule_time       text,                    -- as it was sent; of a schedule HH:MM:SS
  start_date          date,
  end_date            date,
  time_zone           text,                    -- IANA, of a schedule
  weekdays            smallint[],              -- 1 is Monday; null: every day
  skip_dates          date[]      not null default '{}',
  status              campaign_status not null,
  content_id          bigint,                  -- what its next run will say; set right after creation
  open_runs           int         not null,    -- runs that have not ended
  created_at          timestamptz not null default campanile_now(),
  finished_at         timestamptz
) with (fillfactor = 80);
create index campaigns_account on campaigns (account_id, campaign_id);

-- What a campaign says and to whom, in the order given; written once. A run points to the one it began with, so that changing a
-- campaign never changes what is already under way.
create table contents (
  content_id  bigint generated always as identity primary key,
  campaign_id bigint   not null references campaigns on delete cascade,
  html        text     not null,
  text        text     not null,
  media_id    bigint   references media,
  group_ids   bigint[] not null
);
alter table contents alter column group_ids set storage external;  -- to compress ten thousand ids takes longer than to write them
create index contents_campaign on contents (campaign_id);
create index contents_media on contents (media_id) where media_id is not null;

create type run_status as enum ('planned', 'running', 'completed', 'completed_with_errors', 'missed', 'cancelled');

-- One planned occasion of a campaign. run_id rises in the order of acceptance within an account.
create table runs (
  account_id  bigint      not null,
  run_id      bigint      generated always as identity,
  campaign_id bigint      not null references campaigns on delete cascade,
  content_id  bigint,                          -- set when it begins
  shard       smallint    not null generated always as (campanile_shard(account_id)) stored,
  due_at      timestamptz not null,
  started_at  timestamptz,
  finished_at timestamptz,
  progress_at timestamptz,                     -- when something of it was last sent; from its beginning
  served_turn bigint      not null default 0,  -- the lane's turn that last went to it: runs under way take turns
  targets     int         not null default 0,  -- how many deliveries it comes to; 0 until it begins
  expanded    int         not null default 0,  -- how many of them have a row
  next_position int       not null default 1,  -- below it every delivery is final, or waits for another try
  queued      int         not null default 0,  -- also those that have no row yet
  sent        int         not null default 0,
  failed      int         not null default 0,
  cancelled   int         not null default 0,
  status      run_status  not null default 'planned',
  paused      boolean     not null default false,
  primary key (account_id, run_id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index runs_due on runs (shard, due_at) where status = 'planned' and not paused;
create index runs_planned on runs (account_id, due_at) where status = 'planned';
create index runs_live on runs (account_id, run_id) where status = 'running';
create index runs_expanding on runs (shard) where status = 'running' and expanded < targets;
create index runs_campaign on runs (campaign_id, due_at);

create type delivery_status as enum ('queued', 'sent', 'failed', 'cancelled');  -- `sending` is derived: queued, and in its lane's hand

-- One run to one group: queue item, receipt record and statistic at once. A claim does not touch it; a first try that succeeds
-- writes it once and changes no indexed column. No foreign keys: a check per row would cost more than the row.
create table deliveries (
  account_id bigint   not null,
  run_id     bigint   not null,
  group_id   bigint   not null,
  not_before timestamptz,                      -- set: was tried, and waits for another try
  sent_at    timestamptz,
  position   int      not null,                -- in the order the groups were given, from 1
  recipients int      not null default 0,      -- participants but the sender, at the moment of sending
  delivered  int      not null default 0,
  read       int      not null default 0,
  reactions  int      not null default 0,
  replies    int      not null default 0,
  views      int      not null default 0,      -- of a channel
  status     delivery_status not null default 'queued',
  attempts   smallint not null default 0,
  uncertain  boolean  not null default false,  -- an earlier try may have left
  message_id text     not null,                -- fixed here, before the first try, and used in every one
  error      text,
  primary key (account_id, run_id, position),
  check (not_before is null or status = 'queued')
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0);
create unique index deliveries_message on deliveries (account_id, message_id);
create index deliveries_waiting on deliveries (account_id, run_id, not_before) where not_before is not null;

-- One row per delivery and participant. flags: 1 delivered, 2 read, 4 reacted, 8 replied; `fresh`: those the last batch added.
create table receipts (
  account_id   bigint   not null,
  run_id       bigint   not null,
  participant  bigint   not null,              -- a hash of who it is
  delivered_at timestamptz,
  read_at      timestamptz,
  position     int      not null,
  flags        smallint not null,
  fresh        smallint not null,
  primary key (account_id, run_id, position, participant)
) with (fillfactor = 90);

-- Receipts by run and minute, so that a timeline need not read them.
create table run_minutes (
  account_id bigint      not null,
  run_id     bigint      not null,
  minute     timestamptz not null,
  delivered  int         not null default 0,
  read       int         not null default 0,
  primary key (account_id, run_id, minute)
) with (fillfactor = 70);
