-- WhatsApp tells when it stops taking a version of its client.
--
-- Locks: whatsapp_version exclusively, for milliseconds.

alter table whatsapp_version add column ends_at timestamptz;          -- null: not told
