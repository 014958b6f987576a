-- How many posts a group may get in seven days before the workspace is warned
-- (docs/explanation/decisions/0102-warn-of-too-many-posts-and-follow-up.md).
-- Locks: accounts exclusively, for milliseconds: a column with a constant default writes no row. The constraint reads its rows once.
alter table accounts
  add column weekly_posts smallint default 7,  -- more posts to one group in seven days are warned of; null: they are not
  add constraint accounts_weekly_posts check (weekly_posts between 1 and 100);
