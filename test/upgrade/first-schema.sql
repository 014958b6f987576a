-- The tables of the first release, with which the oldest data folders began, and the functions that its triggers name and 008-standard-names.sql drops.
create function note_account_state() returns trigger language plpgsql as 'begin return null; end';
create function note_group_sizes() returns trigger language plpgsql as 'begin return null; end';
create function note_stored_bytes() returns trigger language plpgsql as 'begin return null; end';
create function tell_account() returns trigger language plpgsql as 'begin return null; end';
create function tell_campaign() returns trigger language plpgsql as 'begin return null; end';
create function tell_deliveries() returns trigger language plpgsql as 'begin return null; end';
create function tell_groups() returns trigger language plpgsql as 'begin return null; end';
create function tell_run() returns trigger language plpgsql as 'begin return null; end';

-- All tables, room by room (docs/explanation/architecture.md): who sends what to whom, when, and what became of it. PostgreSQL 15
-- or newer. The functions named here are in src/database/functions/, and are there before the tables.
--
-- Locks: none that anybody waits for; it only makes what nobody has yet. Within a second.
--
-- Rules that hold everywhere
--   1. The row in `lanes` is its account's master lock. Whatever changes what the account may send, or a delivery of it, locks
--      that row first (several accounts: in order of account_id). So nothing below can deadlock, and "lock, then look" is true.
--   2. Lock order: shards, lanes, then the account's runs, campaigns and deliveries.
--   3. Counters change by addition, in the transaction that changes what they count. What they must always come to is a CHECK: who
--      would break one has its account stopped, and writes nothing (src/accounts/stop-account.ts).
--   4. All instants come from campanile_now(). A test replaces that one function to move the clock.
--   5. The busy tables (lanes, runs, deliveries) leave room in their pages, so that an update that changes no indexed column stays
--      in its page, and are vacuumed early.

-- ── users ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A deleted user stays for a short while as a husk without logins and personal data, so that what is under way finds its foreign
-- keys; src/erasure/ removes what belonged to it.
create table users (
  user_id              bigint      generated always as identity primary key,
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
  is_admin             boolean     not null default false,  -- may manage users; sees no more of their posts than anybody
  email_verified_at    timestamptz,            -- when a link that was mailed to the address was opened; null: never
  disabled_at          timestamptz,            -- by an administrator: refused, and sends nothing, until enabled again
  deleted_at           timestamptz,            -- refused from then on
  erased_at            timestamptz,            -- everything of theirs is gone but the husk
  created_at           timestamptz not null default campanile_now()
);
create index users_number on users (whatsapp_digits);
create index users_deleted on users (deleted_at) where deleted_at is not null;

-- User names and e-mail addresses are one namespace, without regard to case: either signs in.
create table user_logins (
  login   text   primary key,                  -- lower case
  user_id bigint not null references users on delete cascade
);
create index user_logins_user on user_logins (user_id);

-- Tokens of the dashboard that were signed out before their time was up. What has expired is refused anyway, and its row goes.
create table signed_out_tokens (
  user_id    bigint      not null references users on delete cascade,
  token_id   text        not null,
  expires_at timestamptz not null,
  primary key (user_id, token_id)
);
create index signed_out_tokens_expired on signed_out_tokens (expires_at);

-- What is known of tokens that may still hold, for their owners to look at. Whether one is taken is said by its user's row and
-- signed_out_tokens. Kept until they expire.
create table sessions (
  token_id     text        primary key,
  user_id      bigint      not null references users on delete cascade,
  generation   int         not null,           -- the user's when the token was issued
  agent        text        not null,           -- what the client called itself
  address      text        not null,           -- where it signed in from
  created_at   timestamptz not null default campanile_now(),
  last_used_at timestamptz not null default campanile_now(),  -- to five minutes
  expires_at   timestamptz not null
) with (fillfactor = 80);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

-- Where users have signed up or in from: an address, of IPv6 its network. What strangers guess holds up nobody who comes from there, and a sign-in from
-- elsewhere is told to the user. Kept for a year.
create table sign_in_places (
  user_id bigint      not null references users on delete cascade,
  place   text        not null,
  used_at timestamptz not null default campanile_now(),
  primary key (user_id, place)
);
create index sign_in_places_age on sign_in_places (used_at);

-- What somebody proves themselves with beside the password (docs/explanation/decisions/0046-put-the-proof-into-the-token.md).
create table factors (
  factor_id     bigint      generated always as identity primary key,
  user_id       bigint      not null references users on delete cascade,
  kind          text        not null check (kind in ('totp', 'passkey')),
  name          text        not null,          -- of a passkey, as its owner calls it
  secret        bytea,                         -- of an authenticator app: its key, sealed (src/lib/vault.ts)
  credential_id text        unique,            -- of a passkey, in base64url
  public_key    bytea,
  used          bigint      not null default 0,     -- the last 30 s whose code was taken; of a passkey its own count of uses
  confirmed     boolean     not null default true,  -- false: an app that has shown no code yet
  created_at    timestamptz not null default campanile_now(),
  last_used_at  timestamptz,
  constraint factors_kind check ((kind = 'totp') = (secret is not null)
    and (kind = 'passkey') = (credential_id is not null and public_key is not null))
);
create index factors_user on factors (user_id);
create unique index factors_totp on factors (user_id) where kind = 'totp';

-- What is left of the codes that stand in for a lost factor.
create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  hash    bytea  not null,                     -- sha256 of the code, which is random enough for that
  primary key (user_id, hash)
);

-- What passkeys have signed, each good once, until it would be refused anyway.
create table spent_challenges (
  challenge  text        primary key,
  expires_at timestamptz not null
);
create index spent_challenges_expired on spent_challenges (expires_at);

-- What a team shares. Whatever is not about the person belongs to one, by its workspace_id or through its account, and is looked up by
-- nothing else (docs/explanation/decisions/0031-let-rows-belong-to-a-workspace.md). Made with its owner, and gone with them.
create table workspaces (
  workspace_id bigint      generated always as identity primary key,
  stored_bytes bigint      not null default 0 check (stored_bytes >= 0),  -- of its files in media; only triggers write it
  moved_to     int,                            -- the cell that it has moved to, or is on its way to: nothing is taken for it here (src/cells/)
  created_at   timestamptz not null default campanile_now()
);

create index workspaces_moved on workspaces (workspace_id) where moved_to is not null;

create table memberships (
  workspace_id bigint not null references workspaces on delete cascade,
  user_id      bigint not null references users on delete cascade,
  role         text   not null check (role in ('owner')),
  primary key (workspace_id, user_id)
);
create unique index memberships_user on memberships (user_id);  -- one a user now; nothing else says so
create unique index memberships_owner on memberships (workspace_id) where role = 'owner';

create table api_keys (
  api_key_id   bigint      generated always as identity primary key,
  workspace_id bigint      not null,
  user_id      bigint      not null,           -- who made it, and in whose name it acts
  name         text        not null,
  scopes       text[]      not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'send', 'admin']),
  prefix       text        not null,           -- how the key begins: what its owner knows it by
  hash         bytea       not null unique,    -- sha256 of the key, which is random enough for that; the key itself is not kept
  created_at   timestamptz not null default campanile_now(),
  expires_at   timestamptz,                    -- null: never
  last_used_at timestamptz,                    -- to the minute
  foreign key (workspace_id, user_id) references memberships on delete cascade
) with (fillfactor = 80);
create index api_keys_workspace on api_keys (workspace_id, api_key_id);

-- Who has tried what how often: counted here, so that it holds over several processes and over restarts.
create table attempts (
  subject   text          primary key,         -- what is limited, and a hash of whose attempts they are
  times     timestamptz[] not null,            -- of the attempts that count, oldest first
  under_way timestamptz[] not null default '{}'  -- of those that have begun and not ended; what a dead process left is passed over
) with (fillfactor = 70);

-- ── mail ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Mails to be sent, written in the transaction of what they tell (src/mail/send-mails.ts), and what their links allow, until they
-- are used or expire. The link itself is not kept: it is made of mail_id and the installation's secret (src/mail/mail-links.ts).
create table mails (
  mail_id    uuid        primary key default gen_random_uuid(),
  kind       text        not null check (kind in ('verification', 'reset', 'invitation', 'new_sign_in', 'password_changed', 'factors_changed', 'notice')),
  user_id    bigint      references users on delete cascade,  -- null: an invitation, or a reset whose user is looked up when it is sent
  login      text,                             -- of a reset: the name or the address that was given
  recipient  text,                             -- of an invitation; of others the user's address, from when it is sent
  detail     text        not null default '',  -- of a new sign-in: where it came from; of a notice: what it tells, and the page that shows it
  tries      smallint    not null default 0,
  due_at     timestamptz not null default campanile_now(),  -- of the next try
  sent_at    timestamptz,
  expires_at timestamptz not null,             -- not sent from then on, and its link is void
  check ((kind = 'reset') = (login is not null) and (kind <> 'invitation' or recipient is not null))
);
create index mails_due on mails (due_at) where sent_at is null;
create index mails_user on mails (user_id) where user_id is not null;
create index mails_expired on mails (expires_at);
create unique index mails_invited on mails (lower(recipient)) where kind = 'invitation';

-- ── audit ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What was done in a workspace, written in the transaction that did it. Entries are kept for a year.
create table audit_log (
  entry_id     bigint      generated always as identity primary key,
  workspace_id bigint      not null references workspaces on delete cascade,
  user_id      bigint      not null,           -- in whose name; no foreign key: people come and go
  at           timestamptz not null default campanile_now(),
  action       text        not null,           -- campaign.accepted
  subject      text        not null,           -- what it was done to: a campaign's id, a key's name
  address      text        not null,           -- where the request came from
  api_key_id   bigint                          -- what it came with, unless a token; no foreign key: keys come and go
);
create index audit_log_workspace on audit_log (workspace_id, at, entry_id);
create index audit_log_age on audit_log (at);

-- ── events ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What happened in a workspace, written in the transaction that did it, for whoever is to be told of it: webhooks, and the stream of
-- live events. Mostly by triggers, so that no statement can leave it out. Kept for a day, and for 30 where there is a webhook.
--
-- event_id rises with what is told of one account, since that is written under its lane's lock. It is no place to read on from: a lower
-- one may be committed later. position is, and is given by one at a time, to what is committed
-- (docs/explanation/decisions/0059-read-events-by-a-place-given-after-the-commit.md).
create table events (
  event_id     bigint      generated always as identity primary key,
  workspace_id bigint      not null references workspaces on delete cascade,
  message_id   uuid        not null default gen_random_uuid(),  -- what a webhook calls it, in all tries
  type         text        not null,           -- campaign.completed
  at           timestamptz not null default campanile_now(),
  data         jsonb       not null,
  position     bigint                          -- null: not given yet
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index events_new on events (event_id) where position is null;
create index events_workspace on events (workspace_id, position) where position is not null;
create index events_age on events (at);
create index events_noticed on events (position)  -- as src/notices/kinds.ts has it
  where type in ('campaign.completed', 'campaign.completed_with_errors', 'campaign.late', 'campaign.missed', 'account.logged_out',
                 'account.version_refused', 'webhook.switched_off', 'backup.too_old');

create table event_sequence (
  is_only  boolean primary key default true check (is_only),
  position bigint  not null default 0          -- the last that was given
) with (fillfactor = 50);
insert into event_sequence default values;

-- Who wants to be told by HTTP, and how far that has come. It is a lane of its own: what it is told, it is told in order.
create table webhooks (
  webhook_id      uuid        primary key,     -- drawn by us before the row, since the secrets are sealed with it
  workspace_id    bigint      not null references workspaces on delete cascade,
  user_id         bigint      not null,        -- who made it; no foreign key: people come and go
  url             text        not null,
  description     text        not null,
  events          text[]      not null check (cardinality(events) > 0),
  signature       text        not null check (signature in ('v1', 'v1a')),
  secret          bytea       not null,        -- sealed (src/lib/vault.ts), as the one before
  former_secret   bytea,
  former_until    timestamptz,
  created_at      timestamptz not null default campanile_now(),
  position        bigint      not null,        -- of the last event that it was told, or did not want
  newest          bigint      not null,        -- of the last event that it wants
  has_retries     boolean     not null default false,
  next_try_at     timestamptz not null default campanile_now(),
  failing_since   timestamptz,                 -- the first of the tries that failed one after the other
  claim           bigint      not null default 0,  -- up by one with each claim: a fence, as of lanes
  claimed_until   timestamptz,                 -- somebody tells it something until then
  disabled_at     timestamptz,
  disabled_reason text        check (disabled_reason in ('by_owner', 'gone', 'failing')),
  constraint webhooks_former check ((former_secret is null) = (former_until is null)),
  constraint webhooks_disabled check ((disabled_at is null) = (disabled_reason is null))
) with (fillfactor = 50);
create index webhooks_workspace on webhooks (workspace_id);
create index webhooks_due on webhooks (next_try_at) where disabled_at is null and (newest > position or has_retries);

-- What somebody asked to be told once more: before whatever is new.
create table webhook_retries (
  webhook_id uuid   not null references webhooks on delete cascade,
  event_id   bigint not null references events on delete cascade,
  primary key (webhook_id, event_id)
);
create index webhook_retries_event on webhook_retries (event_id);

-- Each try, and what came of it. Kept for 30 days, also when the webhook is gone.
create table webhook_tries (
  try_id       bigint      generated always as identity primary key,
  workspace_id bigint      not null references workspaces on delete cascade,
  webhook_id   uuid        not null,
  event_id     bigint      not null,           -- no foreign key: both are removed by age
  at           timestamptz not null,
  milliseconds int         not null,
  status       smallint,                       -- null: no answer
  answer       text,                           -- its first KiB
  error        text                            -- why there was none
);
create index webhook_tries_webhook on webhook_tries (webhook_id, try_id);
create index webhook_tries_workspace on webhook_tries (workspace_id);
create index webhook_tries_age on webhook_tries (at);

-- ── notices ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What people are told of what happened, each once a person: made of events by one at a time (src/notices/make-notices.ts). Kept for 90
-- days, and the newest 1,000 of each person.
create table notices (
  notice_id bigint      generated always as identity primary key,
  user_id   bigint      not null references users on delete cascade,
  event_id  bigint      not null,              -- no foreign key: events are removed by age, and sooner
  kind      text        not null,
  at        timestamptz not null,              -- of what happened
  data      jsonb       not null,              -- of the event
  read_at   timestamptz,
  unique (user_id, event_id)
);
create index notices_user on notices (user_id, notice_id);
create index notices_age on notices (at);

create table notice_reader (
  is_only  boolean primary key default true check (is_only),
  position bigint  not null default 0          -- of the last event that notices were made of
) with (fillfactor = 50);
insert into notice_reader default values;

-- Which notices somebody wants in which way; of what has no row the kind's own way holds (src/notices/kinds.ts).
create table notice_choices (
  user_id bigint  not null references users on delete cascade,
  kind    text    not null,
  bell    boolean not null,
  browser boolean not null,
  email   boolean not null,
  primary key (user_id, kind)
);

-- A browser that somebody wants to be told in (RFC 8030). Who has the endpoint alone can tell it nothing: that takes the key of push_keys.
create table push_subscriptions (
  subscription_id bigint      generated always as identity primary key,
  user_id         bigint      not null references users on delete cascade,
  endpoint        text        not null unique,
  p256dh          text        not null,        -- what is told is encrypted for it (RFC 8291)
  auth            text        not null,
  created_at      timestamptz not null default campanile_now(),
  failing_since   timestamptz                  -- the first of the tries that failed one after the other
);
create index push_subscriptions_user on push_subscriptions (user_id, subscription_id);

-- What waits to be told outside the dashboard: a row for each person, kind and way, so that what comes too soon is told in a sum.
create table notice_turns (
  turn_id         bigint      generated always as identity primary key,
  user_id         bigint      not null references users on delete cascade,
  kind            text        not null,
  subscription_id bigint      references push_subscriptions on delete cascade,  -- null: by e-mail
  waiting         int         not null,        -- notices that were not told yet
  notice_id       bigint      not null,        -- the newest of them; no foreign key: it can be one too many
  tries           int         not null default 0,
  due_at          timestamptz not null default campanile_now(),  -- of the next try: a minute after the last one at the soonest
  unique nulls not distinct (user_id, kind, subscription_id)
) with (fillfactor = 50);
create index notice_turns_due on notice_turns (due_at) where waiting > 0;
create index notice_turns_subscription on notice_turns (subscription_id) where subscription_id is not null;

-- What this installation signs with towards push services (RFC 8292), made at the first start.
create table push_keys (
  is_only     boolean primary key default true check (is_only),
  public_key  text    not null,
  private_key bytea   not null                 -- sealed (src/lib/vault.ts)
);

-- ── idempotency ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Requests that must not take effect twice (contract §4, Idempotency-Key).
create table idempotency_keys (
  workspace_id bigint      not null references workspaces on delete cascade,
  key          text        not null,
  operation    text        not null,
  body_hash    bytea       not null,
  result       jsonb,                          -- null: begun, and its outcome is not known
  created_at   timestamptz not null default campanile_now(),
  primary key (workspace_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- ── media ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A media file as it was sent, once for each workspace. What it was is told for as long as a campaign has it; its bytes are kept while
-- one needs them (src/media/drop-unused.ts).
create table media (
  media_id     bigint      generated always as identity primary key,
  workspace_id bigint      not null references workspaces on delete cascade,
  used_at      timestamptz not null default campanile_now(),  -- last put into a campaign or sent along with a command; a day later
                                               -- it goes, unless a campaign or a draft has it
  sha256       bytea       not null,
  mime         text        not null,
  size         int         not null,           -- in bytes
  bytes        bytea,                          -- null: dropped
  unique (workspace_id, sha256)
);
alter table media alter column bytes set storage external;  -- such files are compressed already
-- By triggers: files also go with their workspace. A row each, since a table of changed rows would hold the bytes once more.
create trigger media_added after insert on media for each row when (new.bytes is not null) execute function note_stored_bytes();
create trigger media_removed after delete on media for each row when (old.bytes is not null) execute function note_stored_bytes();
create trigger media_changed after update of bytes on media for each row
  when ((old.bytes is null) <> (new.bytes is null)) execute function note_stored_bytes();

-- ── drafts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Campaigns that are being written. Kept until they are sent or thrown away.
create table drafts (
  workspace_id bigint      not null references workspaces on delete cascade,
  draft_id     uuid        not null,               -- drawn by who began it
  name         text        not null,
  content      jsonb       not null,               -- html and schedule, as save-draft took them
  group_ids    bigint[]    not null,               -- in the order given, without repeats; kept also while a group is gone
  media_id     bigint      references media,
  version      int         not null default 1,     -- one more with each change
  updated_at   timestamptz not null default campanile_now(),
  primary key (workspace_id, draft_id)
);
create index drafts_media on drafts (media_id) where media_id is not null;

-- ── accounts: links ─────────────────────────────────────────────────────────────────────────────────────────────────────────

create type account_status as enum ('unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out');

-- A workspace's link to a messaging application, by the owner's number. One a workspace now; nothing else says so.
create table accounts (
  account_id       bigint         generated always as identity primary key,
  workspace_id     bigint         not null references workspaces on delete cascade,
  messenger        text           not null,
  status           account_status not null,
  status_reason    text,                       -- one sentence for the user; null: nothing to say
  groups_synced_at timestamptz,                -- null: the groups were never read from the messaging application
  linked_number    text,                       -- digits, of the phone that agreed to the last link; null: none has yet, and the
                                               -- owner's number can still be changed
  scanned_number   text,                       -- digits, of a phone that was refused for having another number than the owner's, and
                                               -- whose number the owner may take over; until the next change of the state

  -- What may be shown while it is being linked; empty at any other time. Whoever reads a code here could link a phone of their own
  -- with it, and a number other than the owner's is refused, so codes are not sealed.
  link_method      text           check (link_method in ('qr', 'pairing_code')),
  qr               text,
  pairing_code     text,
  code_expires_at  timestamptz,

  -- A pause outlives the process that was told of it, and each that follows another soon is longer.
  pause_cause      text           check (pause_cause in ('rate_limited', 'restricted', 'refused', 'used_elsewhere', 'banned')),
  pauses           smallint       not null default 0,  -- one after the other
  paused_at        timestamptz,                -- when the last of them began
  paused_until     timestamptz,

  -- Between the two times of day, in the owner's zone, nothing is sent; over midnight when quiet_to comes first. Both or neither.
  quiet_from       text           check (quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  quiet_to         text           check (quiet_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  daily_cap        int            check (daily_cap > 0),  -- so many deliveries at most are sent on one day of the owner's zone
  warm_up_from     timestamptz,                -- since when it sends more each day (src/accounts/warm-up.ts); null: no such limit

  stop_reason      text,                       -- set: nothing is sent until somebody connects the account again; one sentence for the user

  created_at       timestamptz    not null default campanile_now(),
  constraint accounts_quiet check ((quiet_from is null) = (quiet_to is null) and quiet_from <> quiet_to)
);
create unique index accounts_workspace on accounts (workspace_id);
create index accounts_number on accounts (linked_number) where linked_number is not null;
create index accounts_served on accounts (messenger, campanile_shard(account_id));
create index accounts_paused on accounts (pause_cause) where status = 'paused';
create index accounts_stopped on accounts (account_id) where stop_reason is not null;

create trigger account_told after update on accounts for each row
  when ((old.status, old.status_reason, old.pause_cause, old.stop_reason)
        is distinct from (new.status, new.status_reason, new.pause_cause, new.stop_reason))
  execute function tell_account();

-- How an account stood, from when on: a row each time its state, or the reason for it, became another. Kept for 90 days.
create table account_states (
  state_id   bigint         generated always as identity primary key,
  account_id bigint         not null references accounts on delete cascade,
  at         timestamptz    not null default campanile_now(),
  messenger  text           not null,
  status     account_status not null,
  reason     text
);
create index account_states_account on account_states (account_id, state_id);
create index account_states_age on account_states (at);
-- By triggers: several statements change how an account stands, and none may be left out.
create trigger account_begins after insert on accounts for each row execute function note_account_state();
create trigger account_changes after update on accounts for each row
  when ((old.messenger, old.status, old.status_reason) is distinct from (new.messenger, new.status, new.status_reason))
  execute function note_account_state();

create type command_status as enum ('queued', 'running', 'done', 'failed', 'abandoned');

-- What the API asks of a live session. Claimed by the worker that holds the account's shard, never begun twice.
create table account_commands (
  command_id  bigint         generated always as identity primary key,
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
create index account_commands_creations on account_commands (account_id, created_at) where kind like 'create\_%';

-- ── accounts: who serves them, and when they may send ───────────────────────────────────────────────────────────────────────

-- One heartbeat row per worker process.
create table workers (
  worker_id    bigint      generated always as identity primary key,
  name         text        not null,
  started_at   timestamptz not null default campanile_now(),
  beat_at      timestamptz not null default campanile_now(),
  -- Starts anew after a late beat: only a worker that has beaten without a break for a whole lease may take from the silent, so
  -- that after an outage of the database nobody is robbed.
  steady_since timestamptz not null default campanile_now()
) with (fillfactor = 50);

-- What is leased to workers. A take-over writes shards, not accounts.
create table shards (
  shard     smallint primary key,
  worker_id bigint,                            -- no foreign key: workers come and go
  epoch     int      not null default 0        -- up by one with each change of owner
) with (fillfactor = 50);
insert into shards (shard) select generate_series(0, 255);

-- What tells this ledger from a copy or an older state of itself (docs/explanation/decisions/0050-hold-what-was-copied.md).
create table ledger (
  is_only         boolean     primary key default true check (is_only),
  installation_id uuid,                        -- from when a worker first served it
  number          bigint      not null default 0,  -- only rises: with each heartbeat, and by 2^32 with each release
  token           uuid,                        -- drawn anew with the number
  place           text,                        -- where the worker found it; null: it was just released, or never served
  held_since      timestamptz,                 -- nothing is sent, until released
  held_reason     text,
  cell            int,                         -- which of several installations it is (src/cells/number-cell.ts); null: it has no number
  constraint ledger_held check ((held_since is null) = (held_reason is null))
) with (fillfactor = 50);
insert into ledger default values;

-- Workspaces that have come from another cell, or gone to one; kept for good, so that nothing is put in twice.
create table moves (
  move_id        uuid        primary key,
  workspace_id   bigint      not null,         -- no foreign key: it outlives the workspace
  direction      text        not null check (direction in ('leaving', 'taken_back', 'arrived')),
  cell           int         not null,         -- the other one
  at             timestamptz not null default campanile_now(),
  held_until     timestamptz,                  -- of one that leaves: its lane's, before it was stopped for that
  lane           jsonb,                        -- its lane, from when it was taken away
  paused_run_ids bigint[]    not null default '{}'  -- its runs that had been paused by then
);
create unique index moves_leaving on moves (workspace_id) where direction = 'leaving';

-- The busy half of an account: who may send, and when. Asleep when work_at is null; parked while a turn is in hand.
create table lanes (
  account_id     bigint      primary key references accounts on delete cascade,
  shard          smallint    not null generated always as (campanile_shard(account_id)) stored,
  messenger      text        not null,
  work_at        timestamptz,                  -- when there is something to do next; null: nothing, or a turn is in hand
  next_send_at   timestamptz not null default '-infinity',  -- pacing: no send before
  held_until     timestamptz not null default '-infinity',  -- offline or asked to rest: no send before; infinity: stopped
  -- When to look at it next: then, but no sooner than its pace and its rest allow, whoever writes the three.
  wake_at        timestamptz generated always as (
                   case when work_at is not null and held_until < 'infinity' then greatest(work_at, next_send_at, held_until) end) stored,

  -- Until when, and for how many deliveries, turns are taken without looking at quiet hours and the daily cap again. Of a lane that
  -- is closed a worker looks the rules up, and opens it again or lets it sleep: src/deliveries/open-lanes.ts.
  open_until     timestamptz not null default 'infinity',   -- for ever where there are no such rules
  open_for       int,                          -- null: any number

  turn           bigint      not null default 0,            -- up by one with each claim, and when a turn is taken from its worker
  in_hand_run_id bigint,                       -- the turn in hand: this run ...
  in_hand        int4multirange,               -- ... and these positions of it

  -- Up by one in each transaction that changes a campaign of the account, or what became of it, but for the claims and finishes of
  -- turns, which the turn's number tells of. Whoever watches an account compares both with what they were, and reads campaigns only
  -- when they have moved (docs/explanation/decisions/0018-count-changes-on-the-lane.md).
  changes        bigint      not null default 0,

  constraint lanes_parked check (in_hand_run_id is null or work_at is null),
  constraint lanes_in_hand check ((in_hand_run_id is null) = (in_hand is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- Each entry by itself: of those that share an instant PostgreSQL would make one, which it can forget only as a whole, so that all
-- who look for what is due would walk past every lane that has long been served.
create index lanes_wake on lanes (shard, wake_at) with (deduplicate_items = off) where wake_at is not null;
create index lanes_in_hand on lanes (shard) where in_hand_run_id is not null;

-- ── groups ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create type group_kind as enum ('group', 'community', 'channel');

-- Any chat one can post to. group_id is the wire's group_metadata_id.
create table groups (
  group_id      bigint      generated always as identity primary key,
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

-- How many were in a group at the end of each day of the last year on which that changed, so far as it was read: no more than a row
-- a day, by the function that writes them. What a post found is in its delivery.
create table group_sizes (
  account_id   bigint not null,
  group_id     bigint not null,
  day          date   not null,                -- in UTC
  participants int    not null,                -- as of groups
  primary key (account_id, group_id, day)
) with (fillfactor = 90);
-- By triggers: several statements write groups, and none may be left out.
create trigger groups_begin after insert on groups
  referencing new table as new_rows for each statement execute function note_group_sizes();
create trigger groups_change after update on groups
  referencing old table as old_rows new table as new_rows for each statement execute function note_group_sizes();

create trigger groups_begun_told after insert on groups
  referencing new table as new_rows for each statement execute function tell_groups();
create trigger groups_changed_told after update on groups
  referencing old table as old_rows new table as new_rows for each statement execute function tell_groups();

-- Saved lists of groups.
create table group_lists (
  group_list_id bigint      generated always as identity primary key,
  account_id    bigint      not null references accounts on delete cascade,
  name          text        not null,
  group_ids     bigint[]    not null,          -- in the order given, without repeats; kept also while a group is gone
  created_at    timestamptz not null default campanile_now()
);
alter table group_lists alter column group_ids set storage external;  -- as of contents
create index group_lists_account on group_lists (account_id);

-- ── campaigns ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

create type campaign_status as enum ('scheduled', 'running', 'paused', 'completed', 'completed_with_errors', 'cancelled');

create table campaigns (
  campaign_id         bigint      generated always as identity primary key,
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
  open_runs           int         not null check (open_runs >= 0),  -- runs that have not ended
  created_at          timestamptz not null default campanile_now(),
  finished_at         timestamptz,
  traceparent         text,                    -- W3C's, of the request that it came with; null: nobody traces
  -- From then on its deliveries and revisions are removed, and nothing of it can be changed any more: what they came to is in
  -- group_sums, and stays.
  folded_at           timestamptz,
  folded              boolean     not null default false,  -- they are gone
  deleted_at          timestamptz              -- gone for everybody from then on; its rows are removed
) with (fillfactor = 80);
create index campaigns_account on campaigns (account_id, campaign_id);
-- Those that have not ended come last, before them the latest that have, or were deleted.
create index campaigns_ended on campaigns (account_id, (coalesce(deleted_at, finished_at, 'infinity'::timestamptz)));
create index campaigns_unfolded on campaigns (finished_at) where finished_at is not null and not folded;
create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null;
create trigger campaign_accepted after insert on campaigns for each row execute function tell_campaign();
create trigger campaign_told after update on campaigns for each row
  when (old.status is distinct from new.status) execute function tell_campaign();

-- What a campaign says and to whom; written once. A run points to the one it began with, so that changing a campaign never changes
-- what is already under way.
create table contents (
  content_id  bigint   generated always as identity primary key,
  campaign_id bigint   not null references campaigns on delete cascade,
  name        text,                            -- the campaign's at that time: a document is called so in every try of a run
  html        text     not null,
  text        text     not null,               -- what the html came to
  media_id    bigint   references media,
  group_ids   bigint[] not null                -- in the order given
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
  status      run_status  not null default 'planned',
  due_at      timestamptz not null,
  started_at  timestamptz,
  finished_at timestamptz,
  progress_at timestamptz,                     -- when something of it was last sent; from its beginning
  late_at     timestamptz,                     -- when it was noticed that it had not begun though it was due, a minute later or more
  served_turn bigint      not null default 0,  -- the lane's turn that last went to it: runs under way take turns
  targets     int         not null default 0,  -- how many deliveries it comes to; 0 until it begins
  expanded    int         not null default 0,  -- how many of them have a row
  next_position int       not null default 1,  -- below it every delivery is final, or waits for another try
  summed      int         not null default 0,  -- how many of its deliveries, from the first on, are in group_sums

  -- Sums over its deliveries.
  queued      int         not null default 0,  -- also those that have no row yet
  sent        int         not null default 0,
  failed      int         not null default 0,
  cancelled   int         not null default 0,
  delivered   int         not null default 0,  -- these two by whatever counts a receipt, so that progress reads runs and nothing else
  read        int         not null default 0,
  -- Of those in group_sums: the members who could have told that they read it. Of the others it is read off the deliveries.
  acknowledging int       not null default 0,

  -- Receipts are kept so that a repeat is known as one. Once closed none is counted any more, and the rows may go.
  receipts_closed_at timestamptz,
  receipts_dropped   boolean not null default false,
  paused      boolean     not null default false,
  traceparent text,                            -- W3C's, of its beginning: what tries and receipts continue
  dropping    boolean     not null default false,  -- cancelled, and some that it had queued are yet to be written down as cancelled
  primary key (account_id, run_id),
  constraint runs_counts check (least(queued, sent, failed, cancelled, delivered, read) >= 0),
  constraint runs_sum check (queued + sent + failed + cancelled = targets),
  constraint runs_under_way check (queued = 0 or status = 'running' or dropping),
  constraint runs_positions check (next_position between 1 and expanded + 1 and expanded <= targets)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index runs_due on runs (shard, due_at) where status = 'planned' and not paused;
create index runs_planned on runs (account_id, due_at) where status = 'planned';
create index runs_live on runs (account_id, run_id) where status = 'running';
create index runs_expanding on runs (shard, account_id) where status = 'running' and expanded < targets;
create index runs_dropping on runs (account_id, run_id) where dropping;
create index runs_campaign on runs (campaign_id, due_at);
create index runs_started on runs (account_id, started_at) where started_at is not null;  -- the overview of a span of days
create index runs_ended on runs (account_id, finished_at) where finished_at is not null;  -- what was sent today, for the daily cap
create index runs_unsummed on runs (finished_at) where finished_at is not null and summed < expanded;
create index runs_receipts on runs (finished_at) where finished_at is not null and not receipts_dropped;
create trigger run_told after update on runs for each row
  when (old.status is distinct from new.status or old.late_at is distinct from new.late_at) execute function tell_run();

-- ── deliveries ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
  delivered  int      not null default 0,      -- these four: how many of them
  read       int      not null default 0,
  reactions  int      not null default 0,
  replies    int      not null default 0,
  views      int      not null default 0,      -- of a channel
  status     delivery_status not null default 'queued',
  attempts   smallint not null default 0,
  cut_off    smallint not null default 0,      -- tries whose turn was taken from a worker that died or froze over them. It is then
                                               -- tried alone, and given up in the end (docs/explanation/decisions/0016)
  uncertain  boolean  not null default false,  -- an earlier try may have left
  resend     boolean  not null default false,  -- its owner asked for another try although an earlier one may have left: where
                                               -- repeated ids are not dropped the messenger still looks for it first, but sends
                                               -- when it is not there. Without it such a try only looks
  message_id text     not null,                -- fixed here, before the first try, and used in every one
  error      text,
  primary key (account_id, run_id, position),
  constraint deliveries_waiting_queued check (not_before is null or status = 'queued'),
  constraint deliveries_counts check (least(delivered, read, reactions, replies) >= 0)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0);
-- Not of account_id itself: no index but the key's is to begin with it (docs/explanation/decisions/0008).
create unique index deliveries_message on deliveries ((account_id + 0), message_id);
create index deliveries_waiting on deliveries (account_id, run_id, not_before) where not_before is not null;

create type revision_kind as enum ('recall', 'correct');

-- What is to be done, or was done, about a delivery that has left: one row for each such delivery, and none for all others
-- (docs/explanation/decisions/0017-carry-revisions-through-the-lane.md).
create table revisions (
  account_id   bigint        not null,
  run_id       bigint        not null,
  position     int           not null,
  wanted       revision_kind,                  -- null: nothing more is to be done
  number       bigint        not null,         -- of the request that wanted it; a later one for the same delivery replaces it
  content_id   bigint,                         -- of a correction: what the post shall say
  sent_at      timestamptz,                    -- of the delivery, if it was known by then: the newest go first
  is_channel   boolean       not null,         -- where a post can be changed for longer
  not_before   timestamptz,                    -- set: was tried, and waits for another try
  attempts     smallint      not null default 0,
  corrected_at timestamptz,
  recalled_at  timestamptz,
  error        text,                           -- why the last request came to nothing
  primary key (account_id, run_id, position)
) with (fillfactor = 80);
create index revisions_wanted on revisions (account_id, number, position) where wanted is not null;
create index revisions_newest on revisions (account_id, wanted, is_channel, sent_at desc nulls last)
  where wanted is not null and not_before is null;
create index revisions_waiting on revisions (account_id, not_before) where not_before is not null;
create sequence revision_numbers;

-- The last request to recall or correct all that has left of a run. It is accepted with this row, and becomes revisions in pieces
-- (docs/explanation/decisions/0035-accept-requests-at-once.md).
create table revision_requests (
  account_id    bigint        not null,
  run_id        bigint        not null,
  shard         smallint      not null generated always as (campanile_shard(account_id)) stored,
  kind          revision_kind not null,
  number        bigint        not null,
  requested_at  timestamptz   not null default campanile_now(),
  tried_before  int           not null,        -- positions before this one had had a first try by then
  next_position int,                           -- from here on deliveries have not been looked at yet; null: all have
  primary key (account_id, run_id),
  foreign key (account_id, run_id) references runs on delete cascade
);
create index revision_requests_open on revision_requests (account_id) where next_position is not null;

-- ── receipts ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- One row per delivery and participant.
create table receipts (
  account_id   bigint   not null,
  run_id       bigint   not null,
  participant  bigint   not null,              -- a hash of who it is
  delivered_at timestamptz,
  read_at      timestamptz,
  position     int      not null,
  flags        smallint not null,              -- 1 delivered, 2 read, 4 reacted, 8 replied
  fresh        smallint not null,              -- those of the flags that the last batch added
  primary key (account_id, run_id, position, participant)
) with (fillfactor = 90);

-- Which receipts were counted for an id that may prove to be somebody else's second one: hardly any, and none once it has.
create table provisional_receipts (
  account_id  bigint not null,
  participant bigint not null,                 -- as in receipts
  run_id      bigint not null,
  position    int    not null,
  primary key (account_id, participant, run_id, position)
);
create index provisional_receipts_run on provisional_receipts (account_id, run_id);

-- Receipts by run and minute, so that a timeline need not read them.
create table run_minutes (
  account_id bigint      not null,
  run_id     bigint      not null,
  minute     timestamptz not null,
  sent       int         not null default 0,   -- of the deliveries that are in group_sums; the others tell themselves
  delivered  int         not null default 0,
  read       int         not null default 0,
  primary key (account_id, run_id, minute)     -- no CHECK: what is taken off a minute that is in time_sums stands here below zero
) with (fillfactor = 70);

-- ── sums ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What the deliveries of ended runs came to, so that nobody has to read them: those below runs.summed, of each campaign by group
-- (docs/explanation/decisions/0036-keep-what-ended-runs-came-to.md). What changes such a delivery or its revision changes these, by the triggers below.
create table group_sums (
  account_id     bigint      not null,
  campaign_id    bigint      not null,
  group_id       bigint      not null,
  first_sent_at  timestamptz,
  last_sent_at   timestamptz,
  recipients     bigint      not null default 0,
  delivered      bigint      not null default 0,
  read           bigint      not null default 0,
  reactions      bigint      not null default 0,
  replies        bigint      not null default 0,
  views          bigint      not null default 0,
  queued         int         not null default 0,  -- tried again since
  sent           int         not null default 0,
  failed         int         not null default 0,
  cancelled      int         not null default 0,
  revised        int         not null default 0,  -- of the revisions: all, and what was done
  recalled       int         not null default 0,
  corrected      int         not null default 0,
  error_waits    boolean     not null default false,  -- another try of that delivery follows
  error_run_id   bigint,                       -- the latest run with an error, and the error
  error          text,
  revision_error_run_id bigint,
  revision_error text,
  primary key (account_id, campaign_id, group_id),
  constraint group_sums_counts check (least(queued, sent, failed, cancelled, recipients, delivered, read, reactions, replies, views) >= 0)
) with (fillfactor = 80);

create trigger deliveries_summed after update on deliveries
  referencing old table as old_rows new table as new_rows for each statement execute function sum_changed_deliveries();
create trigger deliveries_told after update on deliveries
  referencing old table as old_rows new table as new_rows for each statement execute function tell_deliveries();
create trigger revisions_added after insert on revisions
  referencing new table as new_rows for each statement execute function sum_changed_revisions();
create trigger revisions_changed after update on revisions
  referencing old table as old_rows new table as new_rows for each statement execute function sum_changed_revisions();
create trigger revisions_removed after delete on revisions
  referencing old table as old_rows for each statement execute function sum_changed_revisions();

-- The minutes of those runs, by the steps that the timeline had when they were added.
create table time_sums (
  account_id  bigint      not null,
  campaign_id bigint      not null,
  at          timestamptz not null,            -- where the step begins
  first_at    timestamptz not null,            -- the first and the last minute of it that is in here
  last_at     timestamptz not null,
  sent        bigint      not null,
  delivered   bigint      not null,
  read        bigint      not null,
  primary key (account_id, campaign_id, at)
);

-- ── messenger: the sandbox ──────────────────────────────────────────────────────────────────────────────────────────────────

-- A messaging application of our own that needs no account. It shares the database and nothing else: the ledger's statements never
-- touch these tables, and it writes them on connections of its own.

-- Who is known here. Whoever writes a post for an account holds its row meanwhile, so that nothing can be written for one that is
-- being forgotten: one lock a statement instead of one a post, which a foreign key from messages to chats would take.
create table sandbox_accounts (
  account_id bigint primary key
);

create table sandbox_chats (
  chat_id      text        primary key,        -- <digits>@g.us or <digits>@newsletter
  account_id   bigint      not null,
  kind         text        not null check (kind in ('group', 'community', 'announcement', 'channel')),
  parent_id    text        references sandbox_chats on delete cascade,  -- of an announcement group its community
  name         text        not null,
  description  text        not null,
  invite_code  text        not null unique,
  participants text[]      not null,           -- phone numbers; the account's own is not among them
  picture      bytea,
  created_at   timestamptz not null default campanile_now()
);
create index sandbox_chats_account on sandbox_chats (account_id);

-- A post as members see it. A repeated message id is dropped, as WhatsApp does. It is found by its id alone: a second index, by the
-- order of arrival, took as long to keep as the message itself.
create table sandbox_messages (
  chat_id       text        not null,
  seq           bigint      generated always as identity,                -- the order of arrival
  account_id    bigint      not null,
  message_id    text        not null,
  text          text        not null,
  media_mime    text,
  media_size    int,
  media_sha256  bytea,
  sent_at       timestamptz not null default campanile_now(),
  seen_until    timestamptz not null default campanile_now(),  -- members' doings up to then have been told
  next_doing_at timestamptz,                   -- when a member does something next; null: nothing more comes
  corrected_at  timestamptz,                   -- it says something else than at first: members see that it was edited
  recalled_at   timestamptz,                   -- it stays as a husk that no member sees, so that a late repeat is still dropped
  primary key (chat_id, message_id)
);
create index sandbox_messages_doing on sandbox_messages (next_doing_at) where next_doing_at is not null;

-- ── messenger: WhatsApp ─────────────────────────────────────────────────────────────────────────────────────────────────────

-- Credentials, sealed with ENCRYPTION_KEY (src/lib/vault.ts), the account, kind and name as what they are about.
create table account_keys (
  account_id bigint not null references accounts on delete cascade,
  kind       text   not null,
  name       text   not null,
  sealed     bytea  not null,
  primary key (account_id, kind, name)
) with (fillfactor = 70);

-- Who may write an account's credentials: the session that was opened last. The number is a fence, as a lane's turn is.
create table account_sessions (
  account_id bigint primary key references accounts on delete cascade,
  number     bigint not null
);

-- The version of WhatsApp's client with which an account was let in last, so that a start need not ask WhatsApp which it takes.
create table whatsapp_version (
  only_row  boolean     primary key default true check (only_row),
  version   text        not null,
  let_in_at timestamptz not null default campanile_now()
);

-- What was posted to groups, kept for a few days: a phone that could not decrypt a post asks for it again. What is said is kept
-- once, however many groups it went to.
create table whatsapp_posts (
  account_id bigint      not null,
  post_hash  bytea       not null,
  message    bytea       not null,
  sent_at    timestamptz not null,             -- when it last went out
  primary key (account_id, post_hash)
) with (fillfactor = 80);
create index whatsapp_posts_age on whatsapp_posts (sent_at);

create table whatsapp_sent (
  account_id bigint      not null,
  message_id text        not null,
  chat_id    text        not null,
  post_hash  bytea       not null,
  sent_at    timestamptz not null,
  server_id  bigint,                           -- of a channel: the number that the server has given it, once that is known
  primary key (account_id, message_id)
);
create index whatsapp_sent_age on whatsapp_sent (sent_at);
create index whatsapp_sent_to_channels on whatsapp_sent (account_id, sent_at)  -- whose views and reactions are asked for
  where chat_id like '%@newsletter';

-- Files that were uploaded to WhatsApp, so that one upload serves all groups of a campaign, all tries, and a restart in between.
create table whatsapp_uploads (
  account_id  bigint      not null,
  sha256      bytea       not null,            -- of the file as it is in media
  place       text        not null check (place in ('chats', 'channels')),
  message     bytea       not null,            -- the message that shows it, without a caption
  handle      text,                            -- of a channel: what a post says besides
  uploaded_at timestamptz not null,
  primary key (account_id, sha256, place)
);
create index whatsapp_uploads_age on whatsapp_uploads (uploaded_at);
