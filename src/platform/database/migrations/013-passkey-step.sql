-- Numbers that have a passkey: what an account shows while it is linked, after a phone has agreed and in place of a code.
-- The JSON is `PasskeyStep` of src/messengers/messenger.ts.
--
-- Locks: accounts exclusively, for milliseconds, since a column without a default writes no row.

alter table accounts add column passkey jsonb;
