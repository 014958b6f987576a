-- The sandbox: a messaging application of our own that needs no account. It shares the database and nothing else: the ledger's
-- statements never touch these tables, and it writes them on connections of its own.

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

-- A post as members see it. A repeated message id is dropped, as WhatsApp does.
create table sandbox_messages (
  chat_id      text        not null,
  seq          bigint      generated always as identity,
  account_id   bigint      not null,
  message_id   text        not null,
  text         text        not null,
  media_mime   text,
  media_size   int,
  media_sha256 bytea,
  sent_at      timestamptz not null default campanile_now(),
  seen_until   timestamptz not null default campanile_now(),  -- members' doings up to then have been told
  next_doing_at timestamptz,                                  -- when a member does something next; null: nothing more comes
  primary key (chat_id, seq),
  unique (chat_id, message_id)
);
create index sandbox_messages_doing on sandbox_messages (next_doing_at) where next_doing_at is not null;
