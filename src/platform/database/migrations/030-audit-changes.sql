-- The differences that an action made (docs/reference/contract.md, audit log).
-- Locks: audit_log exclusively, for milliseconds: a nullable column writes no row.
alter table audit_log add column changes jsonb;  -- [{field, before, after}], texts or null; null: nothing to compare
