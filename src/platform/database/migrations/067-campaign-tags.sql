-- Words that a campaign carries, to find it and report on it by.
-- Locks: workspaces and campaigns against changes of their rows, for milliseconds: the new table refers to them. report_links exclusively, for
-- milliseconds: a column without a default writes no row.

create table campaign_tags (
  workspace_id bigint   not null references workspaces on delete cascade,
  campaign_id  bigint   not null references campaigns on delete cascade,
  position     smallint not null, -- from 1, in the order given
  name         text     not null, -- as it was written
  folded_name  text     not null, -- what tells two tags apart
  primary key (campaign_id, position)
);
create unique index campaign_tags_found on campaign_tags (workspace_id, folded_name, campaign_id);

alter table report_links add column tag text; -- only campaigns that carry it; null: all
