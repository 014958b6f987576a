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

-- Whose views and reactions are asked for.
create index whatsapp_sent_to_channels on whatsapp_sent (account_id, sent_at) where chat_id like '%@newsletter';
