-- Templates are drafts that stay, to begin posts from (docs/explanation/decisions/0130-keep-templates-as-drafts-that-stay.md). A content
-- names the template that it began with in its extras.
-- Locks: drafts exclusively, for milliseconds: a column with a constant default writes no row. The index reads all contents once and has
-- none of them, some 1 s for each million.

alter table drafts
  add column is_template boolean not null default false,
  add column changed_by  bigint;   -- who changed it last; null: before this column

create index contents_template on contents (((extras ->> 'fromTemplate')::uuid), content_id) where extras ? 'fromTemplate';
