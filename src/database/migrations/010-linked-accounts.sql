-- Accounts that are linked to a messaging application outside: how the link stands, and its credentials.

-- What may be shown while an account is being linked; empty at any other time. Whoever reads a code here could link a phone of
-- their own with it, and a number other than the user's is refused, so codes are not sealed.
alter table accounts add link_method     text check (link_method in ('qr', 'pairing_code'));
alter table accounts add qr              text;
alter table accounts add pairing_code    text;
alter table accounts add code_expires_at timestamptz;
alter table accounts add paused_until    timestamptz;
alter table accounts add status_reason   text;                -- one sentence for the user; null: nothing to say
create index accounts_served on accounts (messenger, campanile_shard(account_id));

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
  primary key (account_id, message_id)
);
create index whatsapp_sent_age on whatsapp_sent (sent_at);
