-- Endpoints that answer slowly are served by permits of their own (docs/explanation/decisions/0076-serve-slow-endpoints-apart.md).
-- Locks: webhooks, exclusively and for a moment: a column with a constant default writes no row.
alter table webhooks add column is_slow boolean not null default false;  -- the last answer took over 2 s
