-- Link previews (docs/explanation/decisions/0094-fetch-link-previews-before-acceptance.md). The card of a post is in contents.extras; its picture is a
-- file of the workspace.
-- Locks: contents against writes while the index reads the table once, for seconds with millions of rows. The others exclusively, for
-- milliseconds: a null column needs no rewrite, and whatsapp_uploads has the files of a week.
create index contents_card_picture on contents (((extras -> 'linkPreview' -> 'picture' ->> 'mediaId')::bigint))
  where extras -> 'linkPreview' -> 'picture' is not null;
alter table sandbox_messages add column link_preview jsonb;  -- the card that members see with the text; null: none
alter table whatsapp_uploads drop constraint whatsapp_uploads_target_check;
alter table whatsapp_uploads add constraint whatsapp_uploads_target_check
  check (target in ('chats', 'channels', 'chat cards', 'channel cards'));
