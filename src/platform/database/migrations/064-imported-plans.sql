-- From which row of which sheet a campaign was planned, so that the same sheet again plans nothing twice.
-- Locks: campaigns exclusively, for milliseconds: a column without a default writes no row. The index reads all campaigns once and has none
-- of them, some 1 s for each million.

alter table campaigns
  add column import_plan text,   -- the name of the imported plan; null: it was not imported, or its row is gone from the sheet
  add column import_key  text;   -- the key of its row there

create unique index campaigns_import on campaigns (workspace_id, import_plan, import_key)
  where import_plan is not null and deleted_at is null;
