-- What programs keep with a campaign: an id of their own, unique in the workspace, and keys with values that they want back.
-- Locks: campaigns exclusively, for milliseconds: a column with a constant default writes no row. The index reads all campaigns once and
-- has none of them, some 1 s for each million.

alter table campaigns
  add column external_id text,                          -- its program's own id of it; null: none
  add column metadata    jsonb not null default '{}';   -- texts by key, as they were sent

create unique index campaigns_external_id on campaigns (workspace_id, external_id) where external_id is not null and deleted_at is null;
