-- Mails and notices are in the language of their reader (docs/explanation/decisions/0082-keep-messages-as-icu-catalogs.md).
-- Locks: users and mails, exclusively and for a moment: columns without a default write no row.
alter table users add column language text;  -- tag of a catalog in messages/; null: unknown
alter table mails add column language text;  -- of an invitation, whose reader has no row in users: the language of the user who invites
