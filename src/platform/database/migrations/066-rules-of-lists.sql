-- Lists of groups by a rule, and fields with tags (docs/explanation/decisions/0136-keep-the-groups-of-a-rule-in-its-list.md).
-- Locks: group_lists and fields exclusively, for milliseconds: a column without a default writes no row, and a workspace has 40 fields at most.

alter table group_lists
  add column rule jsonb;   -- StoredRule of src/sending/groups/rules.ts, whose groups group_ids has as of its last use; null: they were picked

alter table fields
  drop constraint fields_kind_check,
  add constraint fields_kind_check check (kind in ('text', 'number', 'date', 'link', 'language', 'tags'));
