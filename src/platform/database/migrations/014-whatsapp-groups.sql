-- Channels that cannot be read, views that were never told, the rest after a new link, and the proxy of each account
-- (docs/explanation/decisions/0087-rest-after-a-new-link-and-slow-down-while-warming-up.md).
-- Locks: accounts, deliveries and group_sums, exclusively and for a moment: columns without a default, or with a constant one, write no row.

alter table accounts
  add column channels_unread_since timestamptz,  -- since when the messaging application did not tell the channels; null: it does
  add column linked_at             timestamptz,  -- the last new link to the messaging application
  add column rests_until           timestamptz;  -- nothing is sent before, because that was a short time ago

-- Older counts above 0 were told, and a 0 may not have been.
alter table deliveries add column views_seen boolean not null default false;  -- the channel has told a count, which may be 0
alter table group_sums add column views_seen boolean not null default false;  -- the same, of any delivery

-- Which proxy an account reaches WhatsApp by (WHATSAPP_PROXIES).
create table whatsapp_proxies (
  account_id bigint primary key references accounts on delete cascade,
  proxy      text not null  -- hash of its address and user (src/messengers/whatsapp/connect/proxies.ts)
);
