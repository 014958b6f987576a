-- Which keys the ledger knows (docs/explanation/decisions/0078-know-the-key-by-its-id.md). An id says nothing of its key.
-- Locks: ledger exclusively, for as long as one row of a catalog takes; that table has one row.
alter table ledger
  add column encryption_key_id text,  -- of the key that seals; null: no process of a version that writes it has started yet
  add column former_key_id     text,  -- of the key before, while something may be sealed with it
  add column jwt_secret_id     text;  -- of the secret that signs tokens
