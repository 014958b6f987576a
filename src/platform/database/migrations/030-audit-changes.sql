-- The differences that an action made, and the entries that name a person (docs/reference/contract.md, audit log).
-- Locks: audit_log in SHARE mode while its index is built, some 2 s for each million rows, and then exclusively, for milliseconds: a
-- nullable column writes no row.
create index audit_log_named on audit_log (lower(subject))  -- to forget a deleted person in the logs of administrators
  where action in ('user.invited', 'user.disabled', 'user.enabled', 'user.factors_reset', 'user.made_admin', 'user.password_reset');
alter table audit_log add column changes jsonb;  -- [{field, before, after}], texts or null; null: nothing to compare
